/** The command line: one class per subcommand, and what they share about printing and exit codes. */
package dev.tutti.app;
