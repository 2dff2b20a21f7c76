/** Files and queries read by DuckDB: CSV, Parquet, JSON lines and any SQL over them. */
package dev.tutti.source.duckdb;
