/** Definitions as JSON and YAML: one way to write them, one way to say what is wrong with them. */
package dev.tutti.json;
