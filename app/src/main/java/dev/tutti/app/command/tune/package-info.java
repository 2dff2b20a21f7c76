/** The command that searches for good settings of a job. */
package dev.tutti.app.command.tune;
