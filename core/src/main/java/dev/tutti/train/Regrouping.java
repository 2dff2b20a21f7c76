package dev.tutti.train;

import dev.tutti.comm.GroupChangedException;
import dev.tutti.comm.Meeting;
import dev.tutti.comm.Team;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Meets the other members, at first and whenever they have changed, and brings this one's state in line with theirs. */
final class Regrouping {
    private static final Logger LOG = LoggerFactory.getLogger(Regrouping.class);

    private final Team team;
    private final Replica replica;
    private final Standing standing;
    private final Capture capture;
    private final PendingResults pending;
    private long generation;

    Regrouping(Team team, Replica replica, Standing standing, Capture capture, PendingResults pending) {
        this.team = team;
        this.replica = replica;
        this.standing = standing;
        this.capture = capture;
        this.pending = pending;
    }

    /** The members have changed: those that are left meet. */
    void meetAgain(GroupChangedException reason) {
        settle(meetingAfter(reason));
    }

    private Meeting meetingAfter(GroupChangedException reason) {
        LOG.warn("{}; meeting again", reason.getMessage());
        return team.meet(standing.progress());
    }

    /** All members get the same state; those that had to wait for it begin where the furthest is. */
    void settle(Meeting first) {
        Meeting meeting = first;
        while (true) {
            try {
                replica.regrouped();
                boolean missed = meeting.group().generation() > generation + 1;
                generation = meeting.group().generation();
                if (meeting.takeOver()) {
                    takeOver(meeting, missed);
                }
                pending.forget();
                return;
            } catch (GroupChangedException e) {
                meeting = meetingAfter(e);
            }
        }
    }

    /** @param missed whether the others have met without this member, and may have redone its last step */
    private void takeOver(Meeting meeting, boolean missed) {
        boolean source = meeting.group().rank() == meeting.source();
        Checkpoint state = new Gathering(team.collectives()).handOver(source ? capture.take() : null, meeting.source());
        if (source) {
            return;
        }
        Checkpoint.Progress progress = state.progress();
        long furthest = progress.step() + progress.epoch();
        boolean differs = furthest != standing.progress() || furthest == 0;
        if (furthest > standing.progress() && progress.epoch() == standing.epoch() && !missed) {
            pending.countInto(standing.totals()); // it was agreed on after all, only this member did not hear of it
        }
        capture.takeOver(state); // also when it is as far: after a step that was redone the last bits may differ
        if (differs) {
            LOG.info(
                    "{} took over epoch {}, step {} from {}",
                    meeting.group().self(),
                    standing.epoch() + 1,
                    standing.step(),
                    meeting.group().members().get(meeting.source()));
        }
    }

    /** Nobody goes before all have what they need of each other; who is gone already has it. */
    void leaveTogether() {
        try {
            team.collectives().barrier("the end");
        } catch (GroupChangedException e) {
            LOG.debug("members left before the end was agreed on: {}", e.getMessage());
        }
    }
}
