package dev.tutti.testkit.fault;

import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What goes wrong with the messages of members that are threads of one JVM: drawn from a seed, for each member a sequence of its
 * own, until a number of mishaps has happened.
 *
 * @param seed what all is drawn from
 * @param rate the share of messages something happens to
 * @param most how many mishaps each member has at most, so that a run comes to an end
 * @param longest how long a message is delayed, or a connection cut, at most, in milliseconds
 */
public record MessageFaults(long seed, double rate, int most, int longest, Map<String, Draws> draws) {
    /** What may happen to a message. */
    public enum Kind {
        /** It arrives as it should. */
        NONE,
        /** It comes late. */
        DELAYED,
        /** It never arrives. */
        DROPPED,
        /** It arrives, and its answer does not. */
        ANSWER_DROPPED,
        /** It arrives twice. */
        DUPLICATED,
        /** The connection breaks, and for a while there is no new one. */
        CUT
    }

    /** @param millis how long, for what takes time */
    public record Mishap(Kind kind, int millis) {
        static final Mishap NONE = new Mishap(Kind.NONE, 0);
    }

    /** Messages between members. */
    public static final String COLLECTIVES = "collectives";

    /** Where a member is in its sequence. */
    static final class Draws {
        private final Random random;
        private int left;
        private int calls;
        private int plannedCall = -1;
        private Mishap planned = Mishap.NONE;

        Draws(long seed, int most) {
            random = new Random(seed);
            left = most;
        }

        private Mishap next(double rate, int longest) {
            if (calls++ == plannedCall) {
                return planned;
            }
            if (left == 0 || random.nextDouble() >= rate) {
                return Mishap.NONE;
            }
            left--;
            Kind[] kinds = Kind.values();
            return new Mishap(kinds[1 + random.nextInt(kinds.length - 1)], 1 + random.nextInt(longest));
        }
    }

    /** Nothing happens. */
    public static MessageFaults none() {
        return new MessageFaults(0, 0, 0, 1, new ConcurrentHashMap<>());
    }

    public static MessageFaults of(long seed, double rate, int most, int longest) {
        return new MessageFaults(seed, rate, most, longest, new ConcurrentHashMap<>());
    }

    /** Cuts a member off from the others at one of its calls to them, from 0, and nothing else. */
    public static MessageFaults cut(String member, int call) {
        MessageFaults mishaps = none();
        Draws draws = new Draws(0, 0);
        draws.plannedCall = call;
        draws.planned = new Mishap(Kind.CUT, 1);
        mishaps.draws.put(member + " " + COLLECTIVES, draws);
        return mishaps;
    }

    /**
     * What happens to the next message of a member.
     *
     * @param path what kind of message: each has its own sequence
     */
    public Mishap next(String member, String path) {
        String key = member + " " + path;
        Draws mine = draws.computeIfAbsent(key, name -> new Draws(seed * 31 + name.hashCode(), most));
        synchronized (mine) {
            return mine.next(rate, longest);
        }
    }

    @Override
    public String toString() {
        return "mishaps(seed " + seed + ", rate " + rate + ", at most " + most + " each, " + longest + " ms)";
    }
}
