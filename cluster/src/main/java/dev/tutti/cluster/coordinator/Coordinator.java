package dev.tutti.cluster.coordinator;

import dev.tutti.cluster.coordinator.RefusedException.Kind;
import dev.tutti.cluster.journal.Journal;
import dev.tutti.cluster.supervision.Supervision;
import dev.tutti.comm.Configuration;
import dev.tutti.comm.Holding;
import dev.tutti.comm.Member;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Keeps the members of a job, their groups, their data and their configuration: a deterministic state machine.
 *
 * <p>Order of calls: {@link #replay} for every fact of an earlier life, {@link #resume} once if there were any, then {@link #apply}
 * for every event, with times that do not fall, and at least every {@link Timeouts#heartbeat} a {@link Event.Tick}. Not safe for
 * threads. What is asked of it in between changes nothing.
 *
 * <p>Two kinds of state: what {@link CoordinatorState} holds, a {@link JournaledState} for each subject, is the sum of the facts and outlives the
 * process; who waits ({@link RoleMeetings}) and who is silent or slow ({@link Supervision}) is found out anew within seconds.
 */
public final class Coordinator {
    private final MembershipRules rules;
    private final CoordinatorState known = new CoordinatorState();
    private final Roster roster = known.roster();
    private final Supervision supervision;
    private final RoleMeetings meetings;
    private final Announcements announcements;

    public Coordinator(MembershipRules rules) {
        this.rules = rules;
        supervision = new Supervision(rules);
        meetings = new RoleMeetings(rules);
        announcements = new Announcements(roster, meetings, rules);
    }

    /** Says which process the coordinator itself runs in: the job ends with it, so its members are not sent away for being slow. */
    public void runsIn(String process) {
        supervision.spare(process);
    }

    /** Takes in a fact of an earlier life. */
    public void replay(Fact fact, long at) {
        known.enter(fact, at);
    }

    /** Goes on after an earlier life: every member gets the time to be heard of again. */
    public void resume(long now) {
        roster.living().forEach(place -> supervision.detector().heard(place.id(), now));
    }

    /** All that has to be replayed for another to know what this one knows. */
    public List<Journal.Entry> summary(long now) {
        return known.summary(now);
    }

    // ---- what happens

    /**
     * Lets something happen.
     *
     * @return the facts that were decided, to be on disk before any reply
     * @throws RefusedException if it is not done; then nothing has changed
     */
    public List<Fact> apply(Event event, long now) {
        meetings.slept(supervision.detector().awake(now));
        List<Fact> facts = new ArrayList<>();
        happen(event, now).ifPresent(fact -> enter(fact, now, facts));
        if (event instanceof Event.Join join) {
            Fact.Joined joined = (Fact.Joined) facts.get(0);
            known.hosts().name(join, joined.host()).ifPresent(fact -> enter(fact, now, facts));
            known.job().describe(join, joined).forEach(fact -> enter(fact, now, facts));
        } else if (event instanceof Event.Exited exited) {
            exit(exited, now, facts);
        } else if (event instanceof Event.Tick) {
            for (MemberRecord place : roster.living()) {
                supervision.judge(place, now).ifPresent(lost -> enter(lost, now, facts));
            }
        }
        Optional<Fact> decided = meetings.decide(roster, supervision.detector(), now);
        while (decided.isPresent()) {
            enter(decided.get(), now, facts);
            decided = meetings.decide(roster, supervision.detector(), now);
        }
        return facts;
    }

    private void enter(Fact fact, long now, List<Fact> facts) {
        facts.add(fact);
        known.enter(fact, now);
        supervision.enter(fact);
        meetings.enter(fact, now);
        if (fact instanceof Fact.Lost lost) {
            known.ownership().without(lost.member()).forEach(owned -> enter(owned, now, facts));
            roster.over(lost).ifPresent(over -> enter(over, now, facts));
        } else if (fact instanceof Fact.Over) {
            roster.late().forEach(late -> meetings.of(MemberRecord.WORKER).turnAway(late.id(), roster.tooLate(now)));
        }
    }

    private Optional<? extends Fact> happen(Event event, long now) {
        if (event instanceof Event.Join join) {
            known.job().require(join, roster);
            Fact.Joined joined = roster.join(
                    join.host(known.hosts().nameOf(join)), rules.of(join.role()).max(), now);
            supervision.detector().heard(joined.member(), now);
            return Optional.of(joined);
        } else if (event instanceof Event.Leave leave) {
            return roster.place(leave.member())
                    .filter(MemberRecord::living)
                    .map(place ->
                            new Fact.Lost(place.id(), leave.done() ? LossCause.DONE : LossCause.LEFT, leave.why()));
        } else if (event instanceof Event.Heartbeat beat) {
            roster.living(beat.member());
            supervision.detector().heard(beat.member(), now);
            return beat.report() == null ? Optional.empty() : supervision.report(beat.member(), beat.report(), roster);
        } else if (event instanceof Event.Connected connected) {
            roster.living(connected.member());
            supervision.detector().connected(connected.member(), now);
        } else if (event instanceof Event.Disconnected disconnected) {
            supervision.detector().disconnected(disconnected.member(), now);
        } else if (event instanceof Event.Meet meet) {
            meet(meet, now);
        } else if (event instanceof Event.Post post) {
            return known.notes().post(post, roster.living(post.member()).role());
        } else if (event instanceof Event.Begin begin) {
            roster.living(begin.member());
            return known.ledger().begin(begin);
        } else if (event instanceof Event.Lease lease) {
            roster.living(lease.member());
            return known.ledger().lease(lease);
        } else if (event instanceof Event.Use use) {
            roster.living(use.member());
            return known.ledger().use(use);
        } else if (event instanceof Event.GiveBack back) {
            roster.living(back.member());
            return known.ledger().giveBack(back);
        } else if (event instanceof Event.Configure configure) {
            return Optional.of(known.settings().change(configure, now));
        } else if (event instanceof Event.Announce announce) {
            roster.living(announce.member());
            return known.addresses().announce(announce);
        } else if (event instanceof Event.Claim claim) {
            roster.living(claim.member());
            return known.ownership().claim(claim.thing(), claim.member());
        } else if (event instanceof Event.Assign assign) {
            roster.living(assign.member());
            return known.ownership().assign(assign.thing(), assign.term(), assign.holders(), assign.member(), roster);
        }
        return Optional.empty();
    }

    private void meet(Event.Meet meet, long now) {
        MemberRecord place = roster.living(meet.member());
        if (place.isWorker()) {
            roster.requireNotOver(place.trainings(), now);
        }
        supervision.detector().heard(place.id(), now);
        if (!announcements.hasMet(place.id(), meet.after())) {
            meetings.of(place.role()).arrive(meet, now);
        }
    }

    private void exit(Event.Exited exited, long now, List<Fact> facts) {
        for (MemberRecord place : roster.living()) {
            if (place.process().equals(exited.process())) {
                enter(new Fact.Lost(place.id(), LossCause.EXITED, "its process " + exited.how()), now, facts);
            }
        }
    }

    // ---- what is asked

    /** Whether this session is that of the member. */
    public boolean isSession(String member, String session) {
        return roster.isSession(member, session);
    }

    /** The group a member is in, if that is later than a generation and it does not want to meet again. */
    public Optional<Fact.Formed> groupOf(String member, long after) {
        return announcements.groupOf(member, after);
    }

    /** The group before a present one, if it is known. */
    public Optional<Fact.Formed> groupBefore(Fact.Formed group) {
        return roster.groupBefore(group.role());
    }

    /** The members of a group. */
    public List<Member> members(Fact.Formed group) {
        return group.members().stream()
                .map(id -> roster.place(id).orElseThrow().member())
                .toList();
    }

    /** What a member is to be told. */
    public MembershipNotice notice(String member) {
        return announcements.notice(member, known.settings().version());
    }

    /**
     * A note of a generation, if it is there.
     *
     * @throws RefusedException if the generation is over, or one of its members is gone and might be the one waited for
     */
    public Optional<String> note(String member, long generation, String name) {
        String role = roster.living(member).role();
        Optional<String> note = known.notes().read(role, generation, name);
        Optional<String> changed = note.isPresent() ? Optional.empty() : announcements.changed(member);
        if (changed.isPresent()) {
            throw new RefusedException(
                    Kind.OLD_GENERATION,
                    "generation " + generation + " is over: " + changed.get(),
                    roster.lostOfGroup(role).stream().map(MemberRecord::id).toList());
        }
        return note;
    }

    /** The processes of those among some members that are still there or have left in good order. */
    public Set<String> processesOf(Collection<String> members) {
        return members.stream()
                .flatMap(id -> roster.place(id).stream())
                .filter(place -> place.living() || place.lost().cause().isOrderly())
                .map(MemberRecord::process)
                .collect(Collectors.toSet());
    }

    /** Processes whose last member was lost, and why; not those whose last member lives or has left in good order. */
    public Map<String, String> lostProcesses() {
        Map<String, String> lost = new LinkedHashMap<>();
        for (MemberRecord place : roster.places()) {
            if (place.living() || place.lost().cause().isOrderly()) {
                lost.remove(place.process());
            } else {
                lost.put(place.process(), place.lost().why());
            }
        }
        return lost;
    }

    /** Members of a role that are there, or of all roles if it is null, with where they listen for messages. */
    public List<Presence> present(String role) {
        return roster.living().stream()
                .filter(place -> role == null || place.role().equals(role))
                .map(this::presence)
                .toList();
    }

    /** One who is or was a member. */
    public Optional<Presence> presence(String member) {
        return roster.place(member).map(this::presence);
    }

    private Presence presence(MemberRecord place) {
        return new Presence(
                place.member(),
                known.addresses().of(place.id()).orElse(null),
                place.living() ? null : place.lost().why());
    }

    /** Who holds a thing, if it was ever held. */
    public Optional<Holding> holding(String thing) {
        return known.ownership().of(thing);
    }

    /** All things whose names begin so. */
    public List<Holding> holdings(String prefix) {
        return known.ownership().all(prefix);
    }

    /** Numbers of the chunks of a data set's epoch that were used. */
    public List<Integer> used(String dataset, int epoch) {
        return known.ledger().used(dataset, epoch);
    }

    public Configuration configuration() {
        return known.settings().configuration();
    }

    /** Everything, for people. */
    public Overview overview(long now) {
        List<Overview.Line> lines = roster.places().stream()
                .map(place -> supervision.line(
                        place,
                        roster.group(place.role()).members(),
                        meetings.arrived(place.role()).contains(place.id()),
                        now))
                .toList();
        return new Overview(
                roster.group().generation(), lines, supervision.rows(), supervision.complaints(), configuration());
    }

    /** What outlives the process, as text, to compare. */
    public String knowledge() {
        return known.toString();
    }
}
