/** The commands that measure: benchmarks, and trainings under faults. */
package dev.tutti.app.command.measure;
