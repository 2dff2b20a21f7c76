package dev.tutti.data;

/** Two datasets that have no row in common and together hold all rows. */
public record Split(Dataset first, Dataset second) {}
