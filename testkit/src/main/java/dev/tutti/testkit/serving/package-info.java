/** A soak of serving: replicas behind a router under load, with hot swaps and faults drawn by chance. */
package dev.tutti.testkit.serving;
