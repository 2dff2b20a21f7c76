/** The subcommands of {@code tutti}, one class each, and the options they share. */
package dev.tutti.app.command;
