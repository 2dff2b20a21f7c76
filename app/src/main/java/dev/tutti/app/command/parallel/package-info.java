/** Commands about models that are divided among members. */
package dev.tutti.app.command.parallel;
