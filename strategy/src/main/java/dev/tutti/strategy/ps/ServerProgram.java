package dev.tutti.strategy.ps;

import dev.tutti.comm.Report;
import dev.tutti.comm.RoleProgram;
import dev.tutti.comm.Team;
import java.util.concurrent.TimeUnit;

/**
 * The program of a parameter server: it holds the shards that workers set up there, until the training is over or it is asked to leave. One
 * that leaves gives its shards to the other servers.
 */
public final class ServerProgram implements RoleProgram {
    private static final int TICKS_BETWEEN_LOOKS = 10;

    private volatile boolean leaving;

    @Override
    public String role() {
        return BackupLinks.ROLE;
    }

    @Override
    public boolean leave() {
        leaving = true;
        return true;
    }

    @Override
    public void run(Team team, String settings) {
        try (ShardServer server = new ShardServer(team).serve()) {
            for (long tick = 0; !team.isOver(); tick++) {
                team.check();
                if (leaving && server.giveAllAway()) {
                    return;
                }
                if (tick % TICKS_BETWEEN_LOOKS == 0) {
                    server.followTable();
                    server.addBackups();
                    server.balance();
                    team.report(new Report(0, server.changes(), -1, 0, 0));
                }
                server.takeSnapshots();
                TimeUnit.MILLISECONDS.sleep(50);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
