/** Choose the next point of a search space from what earlier trials have shown. */
package dev.tutti.tune.search;
