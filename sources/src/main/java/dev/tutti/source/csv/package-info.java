/** Plain files of comma-separated values, parsed on all cores; what is not plain is left to DuckDB. */
package dev.tutti.source.csv;
