package dev.tutti.serve.http;

import dev.tutti.serve.model.ServingSettings;
import java.nio.file.Path;
import java.time.Duration;

/** A service in a process of its own, whose memory and descriptors are its own: a model, and the seconds of its idle limit. */
public final class IdleServerMain {
    private IdleServerMain() {}

    public static void main(String[] arguments) throws Exception {
        InferenceServer server = InferenceServer.start(
                Path.of(arguments[0]),
                ServingSettings.standard().replicas(1),
                HttpSettings.local(0).idleTimeout(Duration.ofSeconds(Long.parseLong(arguments[1]))));
        System.out.println("port " + server.port());
        for (int asked = System.in.read(); asked >= 0; asked = System.in.read()) {
            System.gc();
            Runtime jvm = Runtime.getRuntime();
            System.out.println("used " + (jvm.totalMemory() - jvm.freeMemory()));
        }
        server.close();
    }
}
