/** Commands for models from elsewhere. */
package dev.tutti.app.command.transfer;
