package dev.tutti.comm;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The team of a member that is the only one. */
final class SingleMemberTeam implements Team {
    private final Group group = Group.alone();
    private final Collectives collectives = new SingleMemberCollectives(group);
    private final Map<String, Leases> leases = new ConcurrentHashMap<>();
    private final int threads;
    private volatile Configuration configuration = Configuration.NONE;

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
    public void close() {
        collectives.close();
    }
}
