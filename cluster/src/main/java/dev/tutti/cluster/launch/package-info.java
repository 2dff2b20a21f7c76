/** How members come to run: JVMs of this machine, or programs started by hand that find each other. Not for users. */
package dev.tutti.cluster.launch;
