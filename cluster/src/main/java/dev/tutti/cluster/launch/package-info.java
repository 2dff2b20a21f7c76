/** How members come to run: JVMs of this machine, or programs started by hand that find each other. */
package dev.tutti.cluster.launch;
