package dev.tutti.testkit;

import dev.tutti.cluster.coordinator.MembershipRules;
import dev.tutti.cluster.rpc.CoordinatorServer;
import dev.tutti.cluster.rpc.ServerSettings;
import dev.tutti.json.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** The program of a JVM that runs a coordinator only, to be killed. It ends when the process that started it ends. */
public final class CoordinatorMain {
    private CoordinatorMain() {}

    /** What it is told over its standard input. */
    record Orders(MembershipRules rules, int port, String token, String journal) {}

    public static void main(String[] arguments) throws IOException {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        Orders orders = Json.read(input.readLine(), Orders.class, "the coordinator's orders");
        try (CoordinatorServer server = CoordinatorServer.start(ServerSettings.of(orders.rules)
                .listen("127.0.0.1", orders.port)
                .token(orders.token)
                .folder(Path.of(orders.journal)))) {
            while (input.readLine() != null) {
                // only the end is of interest
            }
        }
    }
}
