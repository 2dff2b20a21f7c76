package dev.tutti.plan.simulation;

import java.util.PriorityQueue;

/** Runs actions in the order of their virtual times; equal times in the order in which they were planned. */
final class VirtualClock {
    private final PriorityQueue<Planned> queue = new PriorityQueue<>();
    private long planned;
    private double now;

    private record Planned(double at, long order, Runnable action) implements Comparable<Planned> {
        @Override
        public int compareTo(Planned other) {
            int byTime = Double.compare(at, other.at);
            return byTime != 0 ? byTime : Long.compare(order, other.order);
        }
    }

    /** Seconds since the beginning. */
    double now() {
        return now;
    }

    /** Plans an action so many seconds from now. */
    void in(double seconds, Runnable action) {
        queue.add(new Planned(now + Math.max(0, seconds), planned++, action));
    }

    /** Runs until a time, or until nothing is planned. */
    void runUntil(double end) {
        while (!queue.isEmpty() && queue.peek().at <= end) {
            Planned next = queue.poll();
            now = next.at;
            next.action.run();
        }
        now = Math.max(now, end);
    }
}
