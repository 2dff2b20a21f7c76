package dev.tutti.testkit.fault;

import dev.tutti.cluster.TeamView;
import dev.tutti.comm.Collectives;
import dev.tutti.comm.Meeting;
import dev.tutti.comm.Messages;
import dev.tutti.comm.Team;
import dev.tutti.train.EpochResult;
import dev.tutti.train.Launcher;
import dev.tutti.train.WorkerTask;
import dev.tutti.train.callback.Callback;
import dev.tutti.train.callback.Run;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** A launcher in whose JVM a {@link Breakdown} comes about; also a callback, for what happens between collective calls. */
public final class BreakingLauncher implements Launcher, Callback {
    private final Launcher place;
    private final Breakdown breakdown;
    private final LongSupplier process;
    private final Signals signals = new Signals();
    private final Map<String, Integer> counts = new HashMap<>();

    /** @param process the process that breaks down, asked when it comes to that */
    public BreakingLauncher(Launcher place, Breakdown breakdown, LongSupplier process) {
        this.place = place;
        this.breakdown = breakdown;
        this.process = process;
    }

    /** The member has come somewhere: perhaps it goes no further. */
    public synchronized void reach(String where) {
        boolean here = where.equals(breakdown.where()) && counts.merge(where, 1, Integer::sum) == breakdown.count();
        if (here && breakdown.micros() == 0) {
            breakDown();
        } else if (here) {
            Thread thread = new Thread(this::breakDownLater, "testkit-breakdown");
            thread.setDaemon(true);
            thread.start();
        }
    }

    private void breakDownLater() {
        long until = System.nanoTime() + TimeUnit.MICROSECONDS.toNanos(breakdown.micros());
        while (System.nanoTime() < until) {
            Thread.onSpinWait(); // a pause would be longer than what is to be hit
        }
        breakDown();
    }

    private void breakDown() {
        signals.send(breakdown.kill() ? "KILL" : "STOP", process.getAsLong());
    }

    @Override
    public void epoch(Run run, EpochResult result) {
        reach(Breakdown.CHECKPOINT);
    }

    @Override
    public Team assemble(WorkerTask work) {
        return new FragileTeam(place.assemble(work));
    }

    private final class FragileTeam extends TeamView {
        private Collectives inner;
        private Collectives outer;

        FragileTeam(Team team) {
            super(team);
        }

        @Override
        public Meeting meet(long progress) {
            reach(Breakdown.MEETING);
            Meeting meeting = super.meet(progress);
            reach(Breakdown.MET);
            return meeting;
        }

        @Override
        public Collectives collectives() {
            Collectives now = super.collectives();
            if (now != inner) {
                inner = now;
                outer = new FaultyCollectives(now, Duration.ZERO, (group, what) -> {
                    reach(what);
                    return MessageFaults.Mishap.NONE;
                });
            }
            return outer;
        }

        /** Those to the member that breaks down: it may be struck while it is being asked. */
        @Override
        public Messages messages() {
            return new FaultyMessages(super.messages(), (to, topic) -> {
                if (to.id().equals(breakdown.member())) {
                    reach(topic);
                }
                return MessageFaults.Mishap.NONE;
            });
        }

        @Override
        public void close() {
            reach(Breakdown.LEAVING);
            super.close();
        }
    }

    @Override
    public String toString() {
        return place.toString();
    }
}
