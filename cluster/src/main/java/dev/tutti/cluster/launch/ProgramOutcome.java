package dev.tutti.cluster.launch;

import java.util.Optional;

/**
 * How the processes of a program have ended.
 *
 * @param exitCode 0, or that of the first that failed where more did than was bearable
 * @param firstToFail which process failed first, and what it said
 */
public record ProgramOutcome(int exitCode, Optional<String> firstToFail) {}
