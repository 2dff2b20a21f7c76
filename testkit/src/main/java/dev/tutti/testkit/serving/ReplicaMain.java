package dev.tutti.testkit.serving;

import dev.tutti.serve.http.HttpSettings;
import dev.tutti.serve.http.InferenceServer;
import dev.tutti.serve.model.ServingSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/** One serving process of the soak: its repository and its port. */
public final class ReplicaMain {
    private ReplicaMain() {}

    public static void main(String[] arguments) throws InterruptedException {
        InferenceServer.start(
                Path.of(arguments[0]),
                ServingSettings.standard().replicas(1).poll(Duration.ofMillis(200)),
                HttpSettings.local(Integer.parseInt(arguments[1])).maxBodyBytes(1 << 20));
        new CountDownLatch(1).await();
    }
}
