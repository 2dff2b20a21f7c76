package dev.tutti.cluster;

import dev.tutti.comm.Collectives;
import dev.tutti.comm.Configuration;
import dev.tutti.comm.Group;
import dev.tutti.comm.Leases;
import dev.tutti.comm.Meeting;
import dev.tutti.comm.Member;
import dev.tutti.comm.Messages;
import dev.tutti.comm.Ownership;
import dev.tutti.comm.Report;
import dev.tutti.comm.Team;
import java.util.List;

/** A team with something about it changed. */
public abstract class TeamView implements Team {
    private final Team team;

    protected TeamView(Team team) {
        this.team = team;
    }

    @Override
    public Meeting meet(long progress) {
        return team.meet(progress);
    }

    @Override
    public Group group() {
        return team.group();
    }

    @Override
    public Collectives collectives() {
        return team.collectives();
    }

    @Override
    public Collectives collectives(Group sub) {
        return team.collectives(sub);
    }

    @Override
    public Messages messages() {
        return team.messages();
    }

    @Override
    public Ownership ownership() {
        return team.ownership();
    }

    @Override
    public List<Member> members(String role) {
        return team.members(role);
    }

    @Override
    public boolean isOver() {
        return team.isOver();
    }

    @Override
    public void check() {
        team.check();
    }

    @Override
    public int threads() {
        return team.threads();
    }

    @Override
    public Leases leases(String dataset) {
        return team.leases(dataset);
    }

    @Override
    public void report(Report report) {
        team.report(report);
    }

    @Override
    public Configuration configuration() {
        return team.configuration();
    }

    @Override
    public void configure(String key, String value) {
        team.configure(key, value);
    }

    @Override
    public void failed(Throwable why) {
        team.failed(why);
    }

    @Override
    public void done() {
        team.done();
    }

    @Override
    public void close() {
        team.close();
    }
}
