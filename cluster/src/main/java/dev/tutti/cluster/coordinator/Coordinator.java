package dev.tutti.cluster.coordinator;

import dev.tutti.cluster.coordinator.RefusedException.Kind;
import dev.tutti.comm.Member;
import dev.tutti.comm.Report;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the members of a job, their groups, their data and their configuration: a deterministic state machine.
 *
 * <p>Order of calls: {@link #replay} for every fact of an earlier life, {@link #resume} once if there were any, then {@link #apply}
 * for every event, with times that do not fall, and at least every {@link Patience#heartbeat} a {@link Event.Tick}. Not safe for
 * threads. What is asked of it in between changes nothing.
 *
 * <p>Two kinds of state: what {@link Knowledge} holds is the sum of the facts and outlives the process; who was heard of when, who
 * waits and who is slow is found out anew within seconds.
 */
public final class Coordinator {
    private static final Logger LOG = LoggerFactory.getLogger(Coordinator.class);
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,100}");
    private static final int MOST_NOTES = 100_000;
    private static final int LONGEST_TEXT = 1 << 16;
    private static final int MOST_SETTINGS = 10_000;

    private final Rules rules;
    private final Knowledge known = new Knowledge();
    private final Rendezvous rendezvous;
    private final SilenceDetector detector;
    private final Suspicions suspicions;
    private final Paces paces = new Paces();
    private final RowAccount rows = new RowAccount();

    public Coordinator(Rules rules) {
        this.rules = rules;
        this.rendezvous = new Rendezvous(rules);
        this.detector = new SilenceDetector(rules.patience());
        this.suspicions = new Suspicions(rules);
    }

    /** Says which process the coordinator itself runs in: the job ends with it, so its members are not sent away for being slow. */
    public void runsIn(String process) {
        suspicions.spare(process);
    }

    /** Takes in a fact of an earlier life. */
    public void replay(Fact fact, long at) {
        known.enter(fact, at);
    }

    /** Goes on after an earlier life: everybody gets the time to be heard of again. */
    public void resume(long now) {
        for (Place place : known.places()) {
            if (place.living()) {
                detector.heard(place.id(), now);
            }
        }
    }

    /**
     * Lets something happen.
     *
     * @return what was decided, to be written down before anybody is told
     * @throws RefusedException if it is not done; then nothing has changed
     */
    public List<Fact> apply(Event event, long now) {
        rendezvous.slept(detector.awake(now));
        List<Fact> facts = new ArrayList<>();
        happen(event, now).ifPresent(fact -> enter(fact, now, facts));
        if (event instanceof Event.Exited exited) {
            exit(exited, now, facts);
        }
        if (event instanceof Event.Tick) {
            for (Place place : List.copyOf(known.places())) {
                if (place.living()) {
                    suspicions.judge(place, detector, now).ifPresent(lost -> enter(lost, now, facts));
                }
            }
        }
        Optional<Fact> decided = rendezvous.decide(known, detector, now);
        while (decided.isPresent()) {
            enter(decided.get(), now, facts);
            decided = rendezvous.decide(known, detector, now);
        }
        return facts;
    }

    private Optional<? extends Fact> happen(Event event, long now) {
        if (event instanceof Event.Join join) {
            return Optional.of(join(join, now));
        } else if (event instanceof Event.Leave leave) {
            Place place = known.place(leave.member()).orElse(null);
            return place != null && place.living()
                    ? Optional.of(new Fact.Lost(place.id(), leave.done() ? Cause.DONE : Cause.LEFT, leave.why()))
                    : Optional.empty();
        } else if (event instanceof Event.Heartbeat beat) {
            living(beat.member());
            detector.heard(beat.member(), now);
            return beat.report() == null ? Optional.empty() : report(beat.member(), beat.report());
        } else if (event instanceof Event.Connected connected) {
            living(connected.member());
            detector.connected(connected.member(), now);
        } else if (event instanceof Event.Disconnected disconnected) {
            detector.disconnected(disconnected.member(), now);
        } else if (event instanceof Event.Meet meet) {
            meet(meet, now);
        } else if (event instanceof Event.Post post) {
            return post(post);
        } else if (event instanceof Event.Begin begin) {
            living(begin.member());
            return known.ledger().begin(begin);
        } else if (event instanceof Event.Lease lease) {
            living(lease.member());
            var chunk = known.ledger().lease(lease);
            return chunk.isEmpty()
                    ? Optional.empty()
                    : Optional.of(new Fact.Leased(lease.epoch(), chunk.getAsInt(), lease.member()));
        } else if (event instanceof Event.Use use) {
            living(use.member());
            return known.ledger().use(use);
        } else if (event instanceof Event.GiveBack back) {
            living(back.member());
            return known.ledger().holds(back.member(), back.epoch())
                    ? Optional.of(new Fact.GivenBack(back.epoch(), back.member()))
                    : Optional.empty();
        } else if (event instanceof Event.Configure configure) {
            return configure(configure);
        }
        return Optional.empty();
    }

    private Fact.Joined join(Event.Join join, long now) {
        Optional<Place> before = known.ofSession(join.session());
        if (before.isPresent()) {
            Place place = living(before.get().id());
            return new Fact.Joined(
                    place.id(), place.session(), place.role(), place.host(), place.process(), place.trainings());
        }
        requireName("the role", join.role());
        if (join.wish() != null) {
            requireName("the wished name", join.wish());
        }
        if (join.role().equals(Place.WORKER)) {
            requireNotOver(join.trainings(), now);
        }
        int workers = known.livingWorkers().size();
        if (join.role().equals(Place.WORKER) && workers >= rules.max()) {
            throw new RefusedException(
                    Kind.FULL,
                    "all " + rules.max() + " places are taken: the job was started for at most so many workers (max)");
        }
        String id = known.newId(join.wish(), join.role());
        detector.heard(id, now);
        return new Fact.Joined(id, join.session(), join.role(), join.host(), join.process(), join.trainings());
    }

    private void exit(Event.Exited exited, long now, List<Fact> facts) {
        for (Place place : List.copyOf(known.places())) {
            if (place.living() && place.process().equals(exited.process())) {
                enter(new Fact.Lost(place.id(), Cause.EXITED, "its process " + exited.how()), now, facts);
            }
        }
    }

    private Optional<Fact> report(String member, Report report) {
        rows.enter(member, report).ifPresent(LOG::error);
        paces.add(member, report);
        return suspicions.judge(member, paces, known);
    }

    private void meet(Event.Meet meet, long now) {
        Place place = living(meet.member());
        if (!place.isWorker()) {
            throw new RefusedException(
                    Kind.CONTRADICTION,
                    "only members with the role " + Place.WORKER + " meet, " + place.id() + " is a " + place.role());
        }
        requireNotOver(place.trainings(), now);
        detector.heard(place.id(), now);
        Fact.Formed group = known.group();
        boolean answered = group.generation() > meet.after() && group.members().contains(place.id());
        if (!answered || changed(place.id()).isPresent()) {
            rendezvous.arrive(meet, now);
        }
    }

    private Optional<Fact> post(Event.Post post) {
        living(post.member());
        requirePresent(post.generation());
        Optional<String> there = known.note(post.name());
        if (there.isPresent()) {
            if (there.get().equals(post.note())) {
                return Optional.empty(); // said again because the answer was lost
            }
            throw new RefusedException(
                    Kind.CONTRADICTION,
                    "there is a note '" + post.name() + "' already; a name is used once in a generation");
        }
        requireShort("a note's name", post.name());
        requireShort("the note '" + post.name() + "'", post.note());
        if (known.noteCount() >= MOST_NOTES) {
            throw new RefusedException(Kind.CONTRADICTION, "there are " + MOST_NOTES + " notes already");
        }
        return Optional.of(new Fact.Posted(post.generation(), post.name(), post.note()));
    }

    private Optional<Fact> configure(Event.Configure configure) {
        requireShort("a setting's name", configure.key());
        if (configure.value() != null) {
            requireShort("the setting '" + configure.key() + "'", configure.value());
        }
        if (known.settings().size() >= MOST_SETTINGS) {
            throw new RefusedException(Kind.CONTRADICTION, "there are " + MOST_SETTINGS + " settings already");
        }
        return Optional.of(new Fact.Configured(configure.key(), configure.value(), known.version() + 1));
    }

    private static void requireName(String what, String name) {
        if (!NAME.matcher(name).matches()) {
            throw new RefusedException(
                    Kind.CONTRADICTION,
                    what + ": expected up to 100 letters, digits and any of . _ -, received '" + name + "'");
        }
    }

    private static void requireShort(String what, String text) {
        if (text.length() > LONGEST_TEXT) {
            throw new RefusedException(
                    Kind.CONTRADICTION,
                    what + " has " + text.length() + " characters, expected at most " + LONGEST_TEXT);
        }
    }

    private void requirePresent(long generation) {
        if (generation != known.group().generation()) {
            throw new RefusedException(
                    Kind.OLD_GENERATION,
                    "generation " + generation + " is over, the present one is "
                            + known.group().generation());
        }
    }

    private void requireNotOver(int trainings, long now) {
        if (trainings < known.trainings()) {
            throw over(now);
        }
    }

    /** For whoever comes for a training that is over: it would wait for the others in vain, and then train alone. */
    private RefusedException over(long now) {
        List<Place> last = known.lostOfGroup();
        long ended = last.stream().mapToLong(Place::lostAt).max().orElse(now);
        return new RefusedException(
                Kind.OVER,
                "the training is over: "
                        + String.join(", ", last.stream().map(Place::id).toList()) + " ended it "
                        + Words.seconds(now - ended)
                        + " ago. There is nothing left to do; another training needs another coordinator");
    }

    private Place living(String id) {
        Place place = known.place(id)
                .orElseThrow(() -> new RefusedException(Kind.UNKNOWN, "there is no member " + id + ": join first"));
        if (!place.living()) {
            throw new RefusedException(
                    place.lost().cause() == Cause.SLOW ? Kind.TOO_SLOW : Kind.GONE,
                    id + " is no longer a member: " + place.lost().why()
                            + ". What it did since is not used"
                            + (place.lost().cause() == Cause.SLOW ? "." : "; it may join as a new member."));
        }
        return place;
    }

    private void enter(Fact fact, long now, List<Fact> facts) {
        known.enter(fact, now);
        facts.add(fact);
        if (fact instanceof Fact.Lost lost) {
            rendezvous.forget(lost.member());
            detector.forget(lost.member());
            suspicions.forget(lost.member());
            paces.forget(lost.member());
            known.livingWorkers().stream()
                    .filter(place -> place.trainings() < known.trainings())
                    .forEach(late -> rendezvous.turnAway(late.id(), over(now)));
        } else if (fact instanceof Fact.Formed formed) {
            rendezvous.formed(formed, now);
            paces.reset();
        }
    }

    /** The group a member is in, if that is later than a generation and it does not want to meet again. */
    public Optional<Fact.Formed> groupOf(String member, long after) {
        Optional<RefusedException> failure = rendezvous.failure(member);
        if (failure.isPresent()) {
            throw failure.get();
        }
        living(member);
        Fact.Formed group = known.group();
        return group.generation() > after
                        && group.members().contains(member)
                        && !rendezvous.arrived().contains(member)
                ? Optional.of(group)
                : Optional.empty();
    }

    /** The members of a group. */
    public List<Member> members(Fact.Formed group) {
        return group.members().stream()
                .map(id -> known.place(id).orElseThrow().member())
                .toList();
    }

    /**
     * A note of a generation, if it is there.
     *
     * @throws RefusedException if the generation is over, or one of its members is gone and might be the one waited for
     */
    public Optional<String> note(String member, long generation, String name) {
        living(member);
        requirePresent(generation);
        Optional<String> note = known.note(name);
        Optional<String> changed = note.isPresent() ? Optional.empty() : changed(member);
        if (changed.isPresent()) {
            throw new RefusedException(
                    Kind.OLD_GENERATION,
                    "generation " + generation + " is over: " + changed.get(),
                    known.lostOfGroup().stream().map(Place::id).toList());
        }
        return note;
    }

    /** The processes of those among some members that are still there or have left in good order. */
    public Set<String> processesOf(Collection<String> members) {
        return members.stream()
                .flatMap(id -> known.place(id).stream())
                .filter(place -> place.living() || place.lost().cause().isOrderly())
                .map(Place::process)
                .collect(Collectors.toSet());
    }

    /** Numbers of an epoch's chunks that were used. */
    public List<Integer> used(int epoch) {
        return known.ledger().used(epoch);
    }

    public Configuration configuration() {
        return new Configuration(known.version(), known.settings());
    }

    /** What a member is to be told. */
    public Situation situation(String member) {
        Place place = known.place(member).orElse(null);
        boolean gone = place == null || !place.living();
        List<Place> lost = known.lostOfGroup();
        return new Situation(
                known.group().generation(),
                changed(member).orElse(null),
                lost.stream().allMatch(one -> one.lost().cause().isOrderly())
                        && known.group().members().stream().noneMatch(rendezvous.arrived()::contains),
                lost.stream().map(Place::id).toList(),
                place == null
                        ? "the coordinator does not know it"
                        : gone ? place.lost().why() : null,
                place == null || !gone ? null : place.lost().cause(),
                known.version());
    }

    /** Why the present group has to meet again, as one of its members is told. */
    private Optional<String> changed(String member) {
        List<Place> lost = known.lostOfGroup();
        if (!lost.isEmpty()) {
            return Optional.of(String.join(
                    "; ",
                    lost.stream()
                            .map(place ->
                                    place.id() + " is gone: " + place.lost().why())
                            .toList()));
        }
        Fact.Formed group = known.group();
        for (String other : rendezvous.arrived()) {
            boolean stays = group.members().contains(other);
            if (!other.equals(member) && (stays || group.members().size() < rules.max())) {
                return Optional.of(other + (stays ? " meets again" : " wants to join"));
            }
        }
        return Optional.empty();
    }

    /** Everything, for people. */
    public Overview overview(long now) {
        List<String> group = known.group().members();
        List<Overview.Line> lines = new ArrayList<>();
        for (Place place : known.places()) {
            OptionalDouble slower = paces.timesSlower(place.id(), group);
            lines.add(new Overview.Line(
                    place.id(),
                    place.role(),
                    place.host(),
                    place.living() ? detector.stateOf(place.id(), now) : FailureDetector.State.GONE,
                    place.living() ? detector.silence(place.id(), now) : now - place.lostAt(),
                    place.living() ? null : place.lost().why(),
                    group.indexOf(place.id()),
                    rendezvous.arrived().contains(place.id()),
                    paces.reports().get(place.id()),
                    paces.seconds(place.id()),
                    slower.orElse(1)));
        }
        return new Overview(
                known.group().generation(), lines, rows.rows(), List.copyOf(rows.complaints()), configuration());
    }

    /** What outlives the process, as text, to compare. */
    String knowledge() {
        return known.toString();
    }

    /** Whether this session is that of the member. */
    public boolean isSession(String member, String session) {
        return known.place(member)
                .map(place -> MessageDigest.isEqual(
                        place.session().getBytes(StandardCharsets.UTF_8), session.getBytes(StandardCharsets.UTF_8)))
                .orElse(false);
    }
}
