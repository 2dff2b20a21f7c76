/**
 * A training run as a value: read from YAML or JSON, checked before it starts, run anywhere.
 *
 * <pre>{@code
 * Job job = JobFile.read(Path.of("job.yaml")).job();
 * }</pre>
 */
package dev.tutti.train.job;
