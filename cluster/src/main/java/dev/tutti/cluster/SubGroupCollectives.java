package dev.tutti.cluster;

import dev.tutti.comm.BulletinBoard;
import dev.tutti.comm.Collectives;
import dev.tutti.comm.Group;
import dev.tutti.comm.Member;
import dev.tutti.comm.MemberLostException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** The collectives of a group's sub-groups, as far as this member is in them; all of them end with the group. */
final class SubGroupCollectives implements AutoCloseable {
    private final Group group;
    private final BulletinBoard board;
    private final CollectivesFactory factory;
    private final Duration timeout;
    private final Consumer<MemberLostException> accuse;
    private final Map<List<Member>, Collectives> opened = new HashMap<>();
    private MemberLostException ended;

    /** @param accuse takes note of members that were waited for in vain */
    SubGroupCollectives(
            Group group,
            BulletinBoard board,
            CollectivesFactory factory,
            Duration timeout,
            Consumer<MemberLostException> accuse) {
        this.group = group;
        this.board = board;
        this.factory = factory;
        this.timeout = timeout;
        this.accuse = accuse;
    }

    /** Those of a sub-group; its members come together when they are asked for the first time. */
    Collectives of(Group sub) {
        synchronized (this) {
            requireInGroup(sub);
            Collectives known = opened.get(sub.members());
            if (known != null) {
                return known;
            }
        }
        String ranks = sub.members().stream()
                .map(member -> String.valueOf(group.members().indexOf(member)))
                .collect(Collectors.joining("."));
        Collectives made;
        try {
            made = new GuardedCollectives(factory.open(sub, board.part("sub-" + ranks), timeout), accuse);
        } catch (MemberLostException e) {
            accuse.accept(e);
            throw e;
        }
        return add(sub, made);
    }

    private synchronized void requireInGroup(Group sub) {
        if (sub.generation() != group.generation() || !group.members().containsAll(sub.members())) {
            throw new IllegalArgumentException("expected a sub-group of generation " + group.generation() + " with "
                    + group.members() + ", received generation " + sub.generation() + " with " + sub.members());
        }
        if (ended != null) {
            throw ended;
        }
    }

    private Collectives add(Group sub, Collectives made) {
        MemberLostException over;
        synchronized (this) {
            opened.put(sub.members(), made);
            over = ended;
        }
        if (over != null) {
            made.abort(over);
        }
        return made;
    }

    /** The group has failed, and so has every sub-group. */
    void abort(MemberLostException reason) {
        List<Collectives> all;
        synchronized (this) {
            ended = ended == null ? reason : ended;
            all = List.copyOf(opened.values());
        }
        all.forEach(each -> each.abort(reason));
    }

    @Override
    public void close() {
        abort(new MemberLostException(List.of(), "generation " + group.generation() + " is over"));
        List<Collectives> all;
        synchronized (this) {
            all = List.copyOf(opened.values());
        }
        all.forEach(Collectives::close);
    }
}
