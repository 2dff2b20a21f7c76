/** Faults as values, and the wrappers that inject them into calls, collectives, data and processes. */
package dev.tutti.testkit.fault;
