/** Tables and queries of databases, read in ranges of a key. */
package dev.tutti.source.jdbc;
