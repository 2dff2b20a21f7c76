package dev.tutti.cluster.launch;

import dev.tutti.TuttiException;
import dev.tutti.cluster.ClusterTeam;
import dev.tutti.cluster.rpc.JoinRequest;
import dev.tutti.comm.RoleProgram;
import dev.tutti.comm.connection.Connections;
import dev.tutti.host.HostTuning;
import dev.tutti.json.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The program of a JVM of another role than the workers': it takes an invitation from its standard input and does its work. */
public final class RoleMain {
    private static final int FAILED = 1;
    private static final Logger LOG = LoggerFactory.getLogger(RoleMain.class);

    private RoleMain() {}

    public static void main(String[] arguments) throws IOException {
        HostTuning.apply();
        WorkerMain.leaveCtrlCToTheDriver();
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        String line = input.readLine();
        if (line == null) {
            return; // the process that started this JVM was gone before it had said anything
        }
        RoleInvitation invitation = Json.read(line, RoleInvitation.class, "the invitation");
        ParentWatch.hold(System.in);
        try {
            run(invitation);
        } catch (TuttiException e) {
            LOG.error("{}", e.getMessage());
            Runtime.getRuntime().halt(FAILED);
        } catch (RuntimeException | Error e) {
            LOG.error("this {} has failed", invitation.role(), e);
            Runtime.getRuntime().halt(FAILED);
        }
        Runtime.getRuntime().halt(0); // native threads and user code may not end by themselves
    }

    private static void run(RoleInvitation invitation) {
        RoleProgram program = RoleProgram.named(invitation.role());
        JoinRequest request = JoinRequest.of(invitation.role(), invitation.wish());
        try (ClusterTeam team = ClusterTeam.join(invitation.address(), request, 1, Connections::open)) {
            try {
                program.run(team, invitation.settings());
            } catch (RuntimeException | Error e) {
                team.failed(e);
                throw e;
            }
        }
    }
}
