package dev.tutti.train.profile;

import dev.tutti.TuttiException;
import dev.tutti.comm.Collectives;
import dev.tutti.comm.Group;
import dev.tutti.comm.Team;
import dev.tutti.comm.Traffic;
import dev.tutti.train.callback.Callback;
import dev.tutti.train.profile.Timing.Phase;
import dev.tutti.train.replica.Agreement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
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
    private static final int STRETCHES = PHASES + 5; // of the timeline
    private static final int TRACES = PHASES + 6;
    private static final int NUMBERS = PHASES + 7;

    private final Team team;
    private final Agreement agreement;
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

    public TimeAccount(Team team, Agreement agreement, Timing timing, List<Callback> callbacks) {
        this.team = team;
        this.agreement = agreement;
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
        report = new TimeReport(List.of(read(mine, group.self().id())));
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
        double[][] all = agreement.rows("where the time went", mine);
        List<MemberTime> members = new ArrayList<>();
        for (int rank = 0; rank < group.size(); rank++) {
            members.add(read(all[rank], group.members().get(rank).id()));
        }
        report = new TimeReport(members);
        if (all[0][TRACES] > 0) { // the chief has some
            sendTimelines(group, all);
        }
    }

    private void sendTimelines(Group group, double[][] all) {
        int[] lengths =
                Arrays.stream(all).mapToInt(row -> (int) (2 * row[STRETCHES])).toArray();
        // All are taken before any is written: senders do not wait for a disk.
        agreement.collect("timeline", timeline.numbers(), lengths).forEach((rank, numbers) -> {
            String name = group.members().get(rank).id();
            observers.forEach(observer -> observer.member(rank, name, Timeline.of(numbers)));
        });
    }

    private double[] numbers() {
        countTraffic();
        double[] numbers = new double[NUMBERS];
        System.arraycopy(timing.seconds(), 0, numbers, 0, PHASES);
        numbers[PHASES] = (System.nanoTime() - began) / 1e9;
        numbers[PHASES + 1] = steps;
        numbers[PHASES + 2] = samples;
        numbers[PHASES + 3] = before.sent() + ofCounted.sent();
        numbers[PHASES + 4] = before.received() + ofCounted.received();
        numbers[STRETCHES] = timeline.size();
        numbers[TRACES] = observers.size();
        return numbers;
    }

    private static MemberTime read(double[] numbers, String member) {
        return new MemberTime(
                member,
                Math.round(numbers[PHASES + 1]),
                Math.round(numbers[PHASES + 2]),
                numbers[Phase.COMPUTE.ordinal()],
                numbers[Phase.WAIT.ordinal()],
                numbers[Phase.WIRE.ordinal()],
                numbers[Phase.FEED.ordinal()],
                numbers[Phase.UPDATE.ordinal()],
                numbers[PHASES],
                Math.round(numbers[PHASES + 3]),
                Math.round(numbers[PHASES + 4]));
    }
}
