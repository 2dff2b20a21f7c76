/** The commands for Spark clusters. */
package dev.tutti.app.command.spark;
