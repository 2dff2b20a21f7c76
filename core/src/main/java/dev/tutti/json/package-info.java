/**
 * Definitions as JSON and YAML: one mapping for both formats, and one form of error messages.
 *
 * <pre>{@code
 * Layer model = Json.read(Path.of("model.yaml"), Layer.class);
 * String text = Json.writeYaml(model);
 * }</pre>
 */
package dev.tutti.json;
