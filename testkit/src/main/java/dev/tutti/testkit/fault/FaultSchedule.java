package dev.tutti.testkit.fault;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What happens to a cluster, and when: {@code Schedule.at(1, 30).kill(2).at(2, 5).hang(1).after(3000).resume(1)}.
 *
 * <p>An immutable value. A fault strikes when the chief has done so many steps of an epoch, while it waits; or some time after that,
 * while it goes on.
 */
public final class FaultSchedule {
    /** Nothing happens. */
    public static final FaultSchedule CALM = new FaultSchedule(List.of());

    private final List<Strike> strikes;

    private FaultSchedule(List<Strike> strikes) {
        this.strikes = List.copyOf(strikes);
    }

    /** One fault and its time: after a number of steps of an epoch (from 1), and perhaps some milliseconds more. */
    public record Strike(int epoch, long step, long millis, Fault fault) {
        public boolean due(int atEpoch, long atStep) {
            return atEpoch > epoch || atEpoch == epoch && atStep >= step;
        }

        @Override
        public String toString() {
            return "at(" + epoch + ", " + step + ")" + (millis == 0 ? "" : ".after(" + millis + ")") + "." + fault;
        }
    }

    /**
     * A time at which something is to happen.
     *
     * @param epoch counted from 1; one more than there are stands for the end
     * @param step so many steps of the epoch are done; 0 is its beginning
     */
    public static When at(int epoch, long step) {
        return CALM.new When(epoch, step, 0);
    }

    public List<Strike> strikes() {
        return strikes;
    }

    /** What comes on top of what there is. */
    public Then and(Strike strike) {
        List<Strike> more = new ArrayList<>(strikes);
        more.add(strike);
        return new Then(new FaultSchedule(more), strike);
    }

    @Override
    public String toString() {
        return strikes.isEmpty()
                ? "calm"
                : strikes.stream().map(Strike::toString).collect(Collectors.joining(" "));
    }

    /** A time of this schedule, to be followed by what happens then. */
    public final class When {
        private final int epoch;
        private final long step;
        private final long millis;

        private When(int epoch, long step, long millis) {
            this.epoch = epoch;
            this.step = step;
            this.millis = millis;
        }

        /** So many milliseconds later, wherever the members are by then. */
        public When after(long more) {
            return new When(epoch, step, millis + more);
        }

        public Then kill(int member) {
            return happens(new Fault.Kill(member));
        }

        public Then hang(int member) {
            return happens(new Fault.Hang(member));
        }

        public Then resume(int member) {
            return happens(new Fault.Resume(member));
        }

        public Then slow(int member, double times) {
            return happens(new Fault.Slow(member, times));
        }

        public Then join() {
            return happens(new Fault.Join());
        }

        public Then cut(int member, Duration time) {
            return happens(new Fault.Cut(member, time));
        }

        /** Holds the chief until this stands in the log of a member. */
        public Then await(String text) {
            return happens(new Fault.Await(text));
        }

        /** Makes every step take a while until this stands in the log of a member. */
        public Then dawdle(String text) {
            return happens(new Fault.Dawdle(text));
        }

        public Then killCoordinator() {
            return happens(new Fault.KillCoordinator());
        }

        public Then startCoordinator() {
            return happens(new Fault.StartCoordinator());
        }

        public Then happens(Fault fault) {
            return and(new Strike(epoch, step, millis, fault));
        }
    }

    /** A schedule to which more can be added. */
    public static final class Then {
        private final FaultSchedule schedule;
        private final Strike last;

        private Then(FaultSchedule schedule, Strike last) {
            this.schedule = schedule;
            this.last = last;
        }

        /** Another time. */
        public When at(int epoch, long step) {
            return schedule.new When(epoch, step, 0);
        }

        /** So many milliseconds after the last fault. */
        public When after(long millis) {
            return schedule.new When(last.epoch, last.step, last.millis + millis);
        }

        public FaultSchedule schedule() {
            return schedule;
        }

        @Override
        public String toString() {
            return schedule.toString();
        }
    }
}
