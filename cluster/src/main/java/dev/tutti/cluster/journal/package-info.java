/** The facts of a coordinator on disk, and the lock on the folder they are in. Not for users. */
package dev.tutti.cluster.journal;
