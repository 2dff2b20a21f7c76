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
                3,
                Duration.ofSeconds(1),
                Duration.ofMillis(700),
                full.startDeadline,
                full.answerDeadline,
                full.commandDeadline);
    }
}
