package dev.tutti.train.profile;

import dev.tutti.TuttiException;
import dev.tutti.array.DType;
import dev.tutti.array.Shape;
import dev.tutti.comm.Collectives;
import dev.tutti.comm.Group;
import dev.tutti.comm.Team;
import dev.tutti.comm.Traffic;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import dev.tutti.train.callback.Callback;
import dev.tutti.train.profile.Timing.Phase;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the books of one member's time and brings those of all members together at the end.
 *
 * <p>Order of calls: {@link #step} after each update, {@link #close} once by every member at the end of a run that did not fail.
 */
public final class TimeAccount {
    private static final Logger LOG = LoggerFactory.getLogger(TimeAccount.class);
    private static final int PHASES = Phase.values().length;
    private static final int NUMBERS = PHASES + 6;

    private final Team team;
    private final Timing timing;
    private final List<TimelineObserver> observers;
    private final Timeline timeline = new Timeline();
    private final long began = System.nanoTime();
    private Collectives counted;
    private Traffic ofCounted = Traffic.NONE;
    private Traffic before = Traffic.NONE;
    private long steps;
    private long samples;
    private TimeReport report = new TimeReport(List.of());

    public TimeAccount(Team team, Timing timing, List<Callback> callbacks) {
        this.team = team;
        this.timing = timing;
        observers = callbacks.stream()
                .flatMap(callback -> callback.timelineObserver().stream())
                .toList();
        timing.listener(timeline);
        observers.forEach(
                observer -> observer.follow(timeline, () -> team.group().self().id()));
    }

    /** So many updates were agreed on; this member had so many of their samples. */
    public void step(int updates, long samplesOfMine) {
        steps += updates;
        samples += samplesOfMine;
        countTraffic();
    }

    /** Every generation of members has collectives of its own, which count from nothing. */
    private void countTraffic() {
        Collectives now = team.collectives();
        if (now != counted) {
            before = new Traffic(before.sent() + ofCounted.sent(), before.received() + ofCounted.received());
            counted = now;
        }
        ofCounted = now.traffic();
    }

    /** Where the time went, as far as it is known. */
    public TimeReport report() {
        return report;
    }

    /**
     * Tells the other members and hears of them. Training is over by now, so members that are lost here only leave a gap in the
     * report.
     *
     * @return whether all were there to the end; if not, the group is of no more use
     */
    public boolean close() {
        Group group = team.group();
        double[] mine = numbers();
        report = new TimeReport(List.of(read(mine, 0, group.self().id())));
        if (group.size() == 1) {
            return true;
        }
        try {
            exchange(group, mine);
            return true;
        } catch (TuttiException e) {
            LOG.info("where the time of the other members went is not known: {}", e.getMessage());
            return false;
        }
    }

    private void exchange(Group group, double[] mine) {
        double[] all = new double[1 + group.size() * NUMBERS];
        all[0] = group.isChief() && !observers.isEmpty() ? 1 : 0;
        System.arraycopy(mine, 0, all, 1 + group.rank() * NUMBERS, NUMBERS);
        all = team.collectives().sum("where the time went", all);
        List<MemberTime> members = new ArrayList<>();
        for (int rank = 0; rank < group.size(); rank++) {
            members.add(read(all, 1 + rank * NUMBERS, group.members().get(rank).id()));
        }
        report = new TimeReport(members);
        if (all[0] > 0) {
            sendTimelines(group, all);
        }
    }

    private void sendTimelines(Group group, double[] all) {
        if (!group.isChief()) {
            if (timeline.size() > 0) {
                send();
            }
            return;
        }
        Map<Integer, Timeline> timelines =
                new TreeMap<>(); // all are taken before any is written: senders do not wait for a disk
        for (int rank = 1; rank < group.size(); rank++) {
            long stretches = Math.round(all[1 + rank * NUMBERS + NUMBERS - 1]);
            if (stretches > 0) {
                timelines.put(rank, received(stretches, rank));
            }
        }
        timelines.forEach((rank, timeline) -> {
            String name = group.members().get(rank).id();
            observers.forEach(observer -> observer.member(rank, name, timeline));
        });
    }

    private void send() {
        try (Scope scope = Scope.open()) {
            long[] numbers = timeline.numbers();
            team.collectives().send("timeline", Tensor.of(numbers, numbers.length), 0);
        }
    }

    private Timeline received(long stretches, int from) {
        try (Scope scope = Scope.open()) {
            Tensor numbers = Tensor.zeros(Shape.of(2 * stretches), DType.INT64);
            team.collectives().receive("timeline", numbers, from);
            return Timeline.of(numbers.toArray().longs());
        }
    }

    /** The last number is how many stretches the timeline has. */
    private double[] numbers() {
        countTraffic();
        double[] numbers = new double[NUMBERS];
        System.arraycopy(timing.seconds(), 0, numbers, 0, PHASES);
        numbers[PHASES] = (System.nanoTime() - began) / 1e9;
        numbers[PHASES + 1] = steps;
        numbers[PHASES + 2] = samples;
        numbers[PHASES + 3] = before.sent() + ofCounted.sent();
        numbers[PHASES + 4] = before.received() + ofCounted.received();
        numbers[PHASES + 5] = timeline.size();
        return numbers;
    }

    private static MemberTime read(double[] all, int at, String member) {
        return new MemberTime(
                member,
                Math.round(all[at + PHASES + 1]),
                Math.round(all[at + PHASES + 2]),
                all[at + Phase.COMPUTE.ordinal()],
                all[at + Phase.WAIT.ordinal()],
                all[at + Phase.WIRE.ordinal()],
                all[at + Phase.FEED.ordinal()],
                all[at + Phase.UPDATE.ordinal()],
                all[at + PHASES],
                Math.round(all[at + PHASES + 3]),
                Math.round(all[at + PHASES + 4]));
    }
}
