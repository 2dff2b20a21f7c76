package dev.tutti.app.command;

import dev.tutti.app.UsageException;
import dev.tutti.serve.http.ApiKeys;
import dev.tutti.serve.http.HttpSettings;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Option;

/** Where a service listens, who may call it, and its limits. */
final class HttpOptions {
    private static final long MEGABYTE = 1 << 20;

    @Option(
            names = "--port",
            paramLabel = "N",
            defaultValue = "8080",
            description = "The port; 0 for a free one. 8080.")
    private int port;

    @Option(
            names = "--host",
            paramLabel = "ADDRESS",
            defaultValue = HttpSettings.LOOPBACK,
            description = "The address to listen on; this machine alone by default, others need --keys.")
    private String host;

    @Option(
            names = "--keys",
            paramLabel = "FILE",
            description = "API keys: a YAML list of {name, key, roles, perSecond}.")
    private Path keys;

    @Option(names = "--certificate", paramLabel = "FILE", description = "A certificate (PEM), with --key: TLS.")
    private Path certificate;

    @Option(names = "--key", paramLabel = "FILE", description = "The private key of the certificate.")
    private Path key;

    @Option(names = "--max-body", paramLabel = "MB", defaultValue = "64", description = "Megabytes of one request; 64.")
    private int maxBody;

    @Option(names = "--access-log", description = "Print one JSON object for each request on standard error.")
    private boolean accessLog;

    HttpSettings settings() {
        if (maxBody < 1) {
            throw new UsageException("--max-body " + maxBody + ": expected 1 or more");
        }
        // Ratis has a Netty of its own under other names, and its list of versions under the usual one: a false alarm.
        System.setProperty("com.linecorp.armeria.warnNettyVersions", "false");
        HttpSettings local = HttpSettings.local(port);
        return new HttpSettings(
                host,
                port,
                Optional.ofNullable(certificate),
                Optional.ofNullable(key),
                keys == null ? ApiKeys.none() : ApiKeys.read(keys),
                maxBody * MEGABYTE,
                local.maxConnections(),
                local.requestTimeout(),
                local.idleTimeout());
    }

    boolean accessLog() {
        return accessLog;
    }
}
