package dev.tutti.train;

import dev.tutti.comm.Group;
import dev.tutti.comm.GroupChangedException;
import dev.tutti.comm.Meeting;
import dev.tutti.comm.Member;
import dev.tutti.comm.MemberLostException;
import dev.tutti.comm.Team;
import dev.tutti.train.checkpoint.Checkpoint;
import dev.tutti.train.checkpoint.CheckpointFolder;
import dev.tutti.train.checkpoint.StateSnapshot;
import dev.tutti.train.replica.Agreement;
import dev.tutti.train.replica.PendingResults;
import dev.tutti.train.replica.Replica;
import dev.tutti.train.replica.StateLostException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Meets the other members, at first and whenever they have changed, and brings this one's state in line with theirs. */
final class GroupRecovery {
    private static final Logger LOG = LoggerFactory.getLogger(GroupRecovery.class);

    private final Team team;
    private final Replica replica;
    private final RunProgress standing;
    private final StateSnapshot capture;
    private final PendingResults pending;
    private final List<Path> checkpoints;
    private Group group; // the last one

    /** @param checkpoints folders that hold those of this run, on whoever is the chief */
    GroupRecovery(
            Team team,
            Replica replica,
            RunProgress standing,
            StateSnapshot capture,
            PendingResults pending,
            List<Path> checkpoints) {
        this.team = team;
        this.replica = replica;
        this.standing = standing;
        this.capture = capture;
        this.pending = pending;
        this.checkpoints = checkpoints;
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
                bringInLine(meeting);
                pending.forget();
                return;
            } catch (GroupChangedException e) {
                meeting = meetingAfter(e);
            }
        }
    }

    private void bringInLine(Meeting meeting) {
        boolean cameBack = group != null && !group.self().equals(meeting.group().self());
        group = meeting.group();
        if (cameBack && meeting.takeOver() && group.rank() != meeting.source()) {
            replica.startOver(); // others know better: nothing of what this member has counts
        }
        try {
            replica.regrouped();
        } catch (StateLostException e) {
            goBack(e);
            return;
        }
        if (meeting.takeOver()) {
            takeOver(meeting);
        }
        if (meeting.group().size() > 1) {
            standing.run(replica.agreement().text("run", standing::run, 0));
        }
    }

    private void takeOver(Meeting meeting) {
        boolean source = meeting.group().rank() == meeting.source();
        Checkpoint state = replica.agreement().handOver(capture::take, meeting.source());
        if (source) {
            return;
        }
        Checkpoint.Progress progress = state.progress();
        long furthest = progress.step() + progress.epoch();
        boolean differs = furthest != standing.progress() || furthest == 0;
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

    /** All members go back to the chief's newest checkpoint; whoever does not hear of it all is still where it was. */
    private void goBack(StateLostException lost) {
        boolean chief = team.group().isChief();
        Optional<Checkpoint> newest = chief ? newest() : Optional.empty();
        Agreement agreement = replica.agreement();
        if (!Boolean.parseBoolean(agreement.text("is there a checkpoint", () -> newest.isPresent() + "", 0))) {
            throw new TrainingException(lost.getMessage() + ", and there is no checkpoint of this run to go back to:"
                    + " save some with a checkpoint callback, or choose a strategy that keeps the state whole");
        }
        Checkpoint checkpoint = agreement.handOver(newest::orElseThrow, 0);
        if (chief) {
            LOG.warn(
                    "{}; all go back from step {} to the checkpoint of step {}",
                    lost.getMessage(),
                    standing.step(),
                    checkpoint.progress().step());
        }
        replica.startOver();
        capture.goBack(checkpoint);
    }

    private Optional<Checkpoint> newest() {
        return checkpoints.stream()
                .flatMap(folder -> new CheckpointFolder(folder).newestOf(standing.run()).stream())
                .findFirst();
    }

    /** Whether it falls to this member to leave a checkpoint behind: the first one of the last group that is not lost. */
    boolean isHeir(GroupChangedException failure) {
        List<String> lost = failure instanceof MemberLostException named ? named.members() : List.of();
        return group != null
                && group.members().stream()
                        .map(Member::id)
                        .filter(id -> !lost.contains(id))
                        .findFirst()
                        .filter(group.self().id()::equals)
                        .isPresent();
    }

    /** Nobody goes before all have what they need of each other; who is gone already has it. */
    void leaveTogether() {
        try {
            replica.agreement().barrier("the end");
        } catch (GroupChangedException e) {
            LOG.debug("members left before the end was agreed on: {}", e.getMessage());
        }
    }
}
