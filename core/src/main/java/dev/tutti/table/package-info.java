/**
 * Tables of rows that are made on first use: embeddings of any number of ids. A {@link dev.tutti.table.RowTable} holds the rows that were
 * changed; all others are computed from seed, table and id, so no order of use changes a value.
 */
package dev.tutti.table;
