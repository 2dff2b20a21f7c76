package dev.tutti.bench.harness;

import java.time.Duration;

/**
 * How often and how long things are measured.
 *
 * @param repetitions the rounds that count; 5, since with fewer the spread says little
 * @param warmUp how long a contender runs before anything counts; kernels are chosen and Java is compiled meanwhile
 * @param run how long one measurement of a throughput takes
 * @param startDeadline how long a process may take to say that it is ready; importing TensorFlow cold takes most
 * @param answerDeadline how much longer than asked for an answer may take
 * @param commandDeadline how long a whole command may take
 */
public record Plan(
        int repetitions,
        Duration warmUp,
        Duration run,
        Duration startDeadline,
        Duration answerDeadline,
        Duration commandDeadline) {
    private static final int QUICK_REPETITIONS = 3;

    /** How long a command of a slow race may take in a quick run. */
    private static final Duration SLOW_COMMAND = Duration.ofMinutes(5);

    /** The numbers worth writing down. */
    public static Plan full() {
        return new Plan(
                5,
                Duration.ofSeconds(3),
                Duration.ofSeconds(2),
                Duration.ofMinutes(3),
                Duration.ofMinutes(1),
                Duration.ofMinutes(20));
    }

    /**
     * The same time in more and shorter rounds, for contenders that stay alive between them. A machine that others use as well
     * changes its pace within seconds: the shorter a round, the more alike are the conditions of those who are compared.
     */
    Plan inShortRounds() {
        int shorter = 3;
        return new Plan(
                repetitions * shorter, warmUp, run.dividedBy(shorter), startDeadline, answerDeadline, commandDeadline);
    }

    /** A first impression in about a third of the time. */
    public static Plan quick() {
        Plan full = full();
        return new Plan(
                QUICK_REPETITIONS,
                Duration.ofSeconds(1),
                Duration.ofMillis(700),
                full.startDeadline,
                full.answerDeadline,
                full.commandDeadline);
    }

    /** What is left of it for races whose processes take long to start: one round of a quick plan, all of any other. */
    Plan ofSlowRaces() {
        return repetitions > QUICK_REPETITIONS
                ? this
                : new Plan(1, warmUp, run, startDeadline, answerDeadline, SLOW_COMMAND);
    }
}
