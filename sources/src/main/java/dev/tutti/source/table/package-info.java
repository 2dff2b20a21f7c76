/** Tables in column blocks: read once from front to back, then any row can be had by its number, in memory or from a file. */
package dev.tutti.source.table;
