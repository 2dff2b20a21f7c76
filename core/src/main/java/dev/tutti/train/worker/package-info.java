/** Workers on threads of one JVM that share the parameters, and the update that they divide among themselves. Not for users. */
package dev.tutti.train.worker;
