package dev.tutti.comm;

import dev.tutti.comm.message.MemoryMessageTransport;
import dev.tutti.comm.message.MessageExchange;
import dev.tutti.comm.message.MessageLimits;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The team of a member that is the only one. */
final class SingleMemberTeam implements Team {
    private final Group group = Group.alone();
    private final Collectives collectives = new SingleMemberCollectives(group);
    private final Map<String, Leases> leases = new ConcurrentHashMap<>();
    private final Ownership ownership = new LocalOwnership(group.self().id());
    private final int threads;
    private volatile Configuration configuration = Configuration.NONE;
    private Messages messages;

    SingleMemberTeam(int threads) {
        this.threads = threads;
    }

    @Override
    public Meeting meet(long progress) {
        return new Meeting(group, 0, false);
    }

    @Override
    public Group group() {
        return group;
    }

    @Override
    public Collectives collectives() {
        return collectives;
    }

    @Override
    public Collectives collectives(Group sub) {
        return collectives; // the only sub-group is the group
    }

    @Override
    public synchronized Messages messages() {
        if (messages == null) {
            MemoryMessageTransport memory = new MemoryMessageTransport(new MemoryMessageTransport.Hub());
            messages = MessageExchange.open(group.self(), List.of(memory), MessageLimits.DEFAULT);
        }
        return messages;
    }

    @Override
    public Ownership ownership() {
        return ownership;
    }

    @Override
    public List<Member> members(String role) {
        return role.equals(Member.WORKER) ? group.members() : List.of();
    }

    @Override
    public void check() {}

    @Override
    public int threads() {
        return threads;
    }

    @Override
    public Leases leases(String dataset) {
        return leases.computeIfAbsent(dataset, name -> new LocalLeases());
    }

    @Override
    public void report(Report report) {}

    @Override
    public Configuration configuration() {
        return configuration;
    }

    @Override
    public synchronized void configure(String key, String value) {
        configuration = configuration.with(key, value);
    }

    @Override
    public synchronized void close() {
        collectives.close();
        if (messages != null) {
            messages.close();
        }
    }
}
