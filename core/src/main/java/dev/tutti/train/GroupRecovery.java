package dev.tutti.train;

import dev.tutti.comm.Group;
import dev.tutti.comm.GroupChangedException;
import dev.tutti.comm.Meeting;
import dev.tutti.comm.Member;
import dev.tutti.comm.MemberLostException;
import dev.tutti.comm.Team;
import dev.tutti.json.Json;
import dev.tutti.nn.Slice;
import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import dev.tutti.train.checkpoint.Checkpoint;
import dev.tutti.train.checkpoint.CheckpointFolder;
import dev.tutti.train.checkpoint.ProgressMessage;
import dev.tutti.train.checkpoint.SharedCheckpoint;
import dev.tutti.train.checkpoint.StateSnapshot;
import dev.tutti.train.replica.Agreement;
import dev.tutti.train.replica.PendingResults;
import dev.tutti.train.replica.Replica;
import dev.tutti.train.replica.StateLostException;
import dev.tutti.train.replica.StateRedistribution;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Meets the other members, at first and whenever they have changed, and brings this one's state in line with theirs. */
final class GroupRecovery {
    private static final Logger LOG = LoggerFactory.getLogger(GroupRecovery.class);

    /** States of more bytes are received in place by members that have none of their own. */
    private static final long LARGE = 1L << 30;

    private final Team team;
    private final Replica replica;
    private final RunProgress runProgress;
    private final StateSnapshot snapshot;
    private final PendingResults pending;
    private final List<Path> checkpoints;
    private Group group; // the last one
    private Checkpoint resumedFrom; // until the members have met; null where there is nothing left to read
    private Meeting last;
    private boolean incomplete; // a part of another member's state was written over this one's

    /** @param checkpoints folders that hold those of this run, on the present chief */
    GroupRecovery(
            Team team,
            Replica replica,
            RunProgress runProgress,
            StateSnapshot snapshot,
            PendingResults pending,
            List<Path> checkpoints) {
        this.team = team;
        this.replica = replica;
        this.runProgress = runProgress;
        this.snapshot = snapshot;
        this.pending = pending;
        this.checkpoints = checkpoints;
    }

    /** The members have changed: those that are left meet. */
    void meetAgain(GroupChangedException reason) {
        settle(meetingAfter(reason));
    }

    private Meeting meetingAfter(GroupChangedException reason) {
        LOG.warn("{}; meeting again", reason.getMessage());
        return team.meet(incomplete ? -1 : runProgress.progress());
    }

    /** Begins with what a checkpoint holds: what is divided among the members is read when they have met. */
    void resume(Checkpoint checkpoint) {
        snapshot.resume(checkpoint);
        resumedFrom = snapshot.isDivided() ? checkpoint : null;
    }

    /** All members get the same state; those that had to wait for it begin where the furthest is. */
    void settle(Meeting first) {
        Meeting meeting = first;
        while (true) {
            last = meeting;
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
        } catch (StateLostException e) { // on all members, as its contract says
            goBack(e);
            return;
        }
        if (snapshot.isDivided() && !redistribute(meeting)) {
            return; // all are where the checkpoint was
        }
        if (meeting.takeOver()) {
            takeOver(meeting);
        }
        resumedFrom = null;
        if (meeting.group().size() > 1) {
            runProgress.run(replica.agreement().text("run", runProgress::run, 0));
        }
    }

    /** Gives every member its part of the state; false where all of it came from a checkpoint. */
    private boolean redistribute(Meeting meeting) {
        Agreement agreement = replica.agreement();
        if (agreement.any("resumes", resumedFrom != null && agreement.isSelf(meeting.source()))[0]) {
            goBack(SharedCheckpoint.of(
                    agreement, meeting.source(), agreement.isSelf(meeting.source()), Optional.ofNullable(resumedFrom)));
            resumedFrom = null;
            return false;
        }
        try {
            snapshot.forEachDivided(state -> StateRedistribution.run(agreement, group.rank(), state));
            return true;
        } catch (StateLostException e) {
            goBack(e);
            return false;
        }
    }

    /** Takes over the slices that all members hold. */
    private void takeOver(Meeting meeting) {
        Agreement agreement = replica.agreement();
        boolean source = agreement.isSelf(meeting.source());
        if (source && incomplete) {
            throw new TrainingException(
                    "the member that gave this one the state of the run was lost before all of it had"
                            + " arrived, and no other member has it: begin anew, or resume from a checkpoint");
        }
        String text = agreement.text("progress", () -> Json.write(snapshot.message()), meeting.source());
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            Map<Slice, Tensor> here = snapshot.replicated();
            if (source) {
                here.forEach((slice, tensor) -> send(agreement, slice, tensor, meeting));
                return;
            }
            receive(agreement, here, meeting);
        }
        ProgressMessage message = Json.read(text, ProgressMessage.class, "another member's state");
        boolean differs = message.furthest() != runProgress.progress() || message.furthest() == 0;
        snapshot.takeOver(message); // also when it is as far: after a step that was redone the last bits may differ
        incomplete = false;
        if (differs) {
            LOG.info(
                    "{} took over epoch {}, step {} from {}",
                    meeting.group().self(),
                    runProgress.epoch() + 1,
                    runProgress.step(),
                    meeting.group().members().get(meeting.source()));
        }
    }

    private static void send(Agreement agreement, Slice slice, Tensor tensor, Meeting meeting) {
        agreement.broadcast("checkpoint: " + slice.parameter(), tensor, meeting.source());
    }

    /**
     * A member that has a state receives the other one beside it, so that it still has its own if the source is lost on the way. One that
     * has none receives a large state in its place.
     */
    private void receive(Agreement agreement, Map<Slice, Tensor> here, Meeting meeting) {
        long bytes = here.values().stream()
                .mapToLong(tensor -> tensor.size() * tensor.type().bytes())
                .sum();
        if (incomplete || runProgress.progress() == 0 && bytes > LARGE) {
            incomplete = true;
            here.forEach((slice, tensor) -> send(agreement, slice, tensor, meeting));
            return;
        }
        Map<Slice, Tensor> received = new LinkedHashMap<>();
        here.forEach((slice, tensor) -> {
            Tensor room = Tensor.empty(tensor.shape(), tensor.type());
            send(agreement, slice, room, meeting);
            received.put(slice, room);
        });
        here.forEach((slice, tensor) -> tensor.copy_(received.get(slice)));
    }

    /** A part of the state is lost: all members go back to the chief's newest checkpoint. */
    private void goBack(StateLostException lost) {
        boolean chief = team.group().isChief();
        Optional<Checkpoint> newest = chief ? newest() : Optional.empty();
        Agreement agreement = replica.agreement();
        if (!Boolean.parseBoolean(agreement.text("is there a checkpoint", () -> newest.isPresent() + "", 0))) {
            throw new TrainingException(lost.getMessage() + ", and there is no checkpoint of this run to go back to:"
                    + " save some with a checkpoint callback, or choose a strategy that keeps the state whole");
        }
        SharedCheckpoint checkpoint = SharedCheckpoint.of(agreement, 0, chief, newest);
        if (chief) {
            LOG.warn(
                    "{}; all go back from step {} to the checkpoint of step {}",
                    lost.getMessage(),
                    runProgress.step(),
                    checkpoint.message().progress().step());
        }
        replica.startOver();
        goBack(checkpoint);
    }

    private void goBack(SharedCheckpoint checkpoint) {
        snapshot.goBack(checkpoint.message(), checkpoint);
        incomplete = false;
    }

    private Optional<Checkpoint> newest() {
        return checkpoints.stream()
                .flatMap(folder -> new CheckpointFolder(folder).newestOf(runProgress.run()).stream())
                .findFirst();
    }

    /** The last meeting of the members. */
    Meeting lastMeeting() {
        return last;
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

    /** No member leaves before all have what they need of each other; a member that is gone already has it. */
    void leaveTogether() {
        try {
            replica.agreement().barrier("the end");
        } catch (GroupChangedException e) {
            LOG.debug("members left before the end was agreed on: {}", e.getMessage());
        }
    }
}
