/** What deals with the process and the machine: priorities of threads, processors, other processes, native output. Not for users. */
package dev.tutti.host;
