/** Commands that start servers and workers of a cluster by hand. */
package dev.tutti.app.command.ps;
