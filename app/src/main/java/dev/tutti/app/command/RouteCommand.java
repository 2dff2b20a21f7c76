package dev.tutti.app.command;

import dev.tutti.app.Console;
import dev.tutti.app.ExitCode;
import dev.tutti.serve.route.RouterServer;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Puts several serving processes behind one address. */
@Command(
        name = "route",
        sortOptions = false,
        description =
                "One address for several ./tutti serve: balances, checks their health, sends predictions again elsewhere.",
        footer = {"", "Example: ./tutti route http://127.0.0.1:8081 http://127.0.0.1:8082 --port 8080"})
public final class RouteCommand extends TuttiCommand {
    @Parameters(
            arity = "1..*",
            paramLabel = "ADDRESS",
            description = "Serving processes, such as http://127.0.0.1:8081.")
    private List<URI> replicas;

    @Mixin
    private HttpOptions http;

    public RouteCommand(Console console) {
        super(console);
    }

    @Override
    protected ExitCode run() {
        CountDownLatch stop = new CountDownLatch(1);
        try (Interruption interruption = Interruption.listen(stop::countDown);
                RouterServer router = RouterServer.start(
                        replicas,
                        http.settings(),
                        http.accessLog() ? Optional.of(line -> console().err().println(line)) : Optional.empty())) {
            people().println("Routing at " + router.uri() + " to " + replicas.size() + " replicas; " + router.uri()
                    + "/replicas shows how they are.");
            answer(Map.of("uri", router.uri().toString()));
            stop.await();
            return ExitCode.FINE;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return ExitCode.INTERRUPTED;
        }
    }
}
