/** Many trainings with faults: drawn by chance (soak) or at one point after the other (sweep). */
package dev.tutti.testkit.soak;
