/** Definitions as JSON and YAML: one mapping for both formats, and one form of error messages. */
package dev.tutti.json;
