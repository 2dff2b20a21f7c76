/** The command that makes smaller models. */
package dev.tutti.app.command.quantize;
