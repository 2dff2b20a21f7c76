/** Models that are served: a repository of versions, which are loaded, warmed up, swapped, drained and closed. */
package dev.tutti.serve.model;
