/**
 * Data as people have it: {@code Dataset.of(Sources.csv("people.csv"))}. Sources of tables are in {@link dev.tutti.source.duckdb},
 * the way from columns to arrays in {@link dev.tutti.source.column}.
 */
package dev.tutti.source;
