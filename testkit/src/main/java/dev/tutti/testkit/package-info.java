/** Clusters to test with, and what breaks them on purpose. */
package dev.tutti.testkit;
