/** The process of a job: trains, tells its progress, and leaves its outcome. */
package dev.tutti.jobs.process;
