package dev.tutti.bench.serve;

import java.nio.file.Path;
import java.util.List;

/** The servers that are compared. */
enum ServerKind {
    TUTTI("/v2/models/%s/infer"),
    LITSERVE("/predict"),
    MLSERVER("/v2/models/%s/infer"),
    RAY("/"),
    DJL("/predict");

    private final String path;

    ServerKind(String path) {
        this.path = path;
    }

    String path(ServedNetwork network) {
        return String.format(path, network.key());
    }

    /** The command that serves on a port, run in the project's folder. */
    List<String> command(ServedNetwork network, Path models, int port, String python) {
        return switch (this) {
            case TUTTI ->
                List.of("./tutti", "serve", models.resolve(network.key()).toString(), "--port", "" + port);
            case LITSERVE -> List.of(python, "bench/peers/serve_litserve.py", network.key(), "" + port);
            case MLSERVER -> List.of(python, "bench/peers/serve_mlserver.py", network.key(), "" + port);
            case RAY -> List.of(python, "bench/peers/serve_ray.py", network.key(), "" + port);
            case DJL -> DjlPeer.command(network.key(), port);
        };
    }
}
