/** Runs trials in processes or threads of this machine, records all that is decided, and goes on after a kill. */
package dev.tutti.tune.run;
