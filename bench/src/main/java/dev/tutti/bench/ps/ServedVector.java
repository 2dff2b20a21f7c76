package dev.tutti.bench.ps;

import dev.tutti.array.DType;
import dev.tutti.array.Shape;
import dev.tutti.cluster.launch.TrainingCluster;
import dev.tutti.comm.Team;
import dev.tutti.optim.Optimizers;
import dev.tutti.strategy.ps.ParameterClient;
import dev.tutti.table.TableSpec;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** A vector, and tables, on server JVMs of this machine, with this process as their only worker. */
final class ServedVector implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    final TrainingCluster cluster;
    final Team team;
    final ParameterClient client;

    ServedVector(int servers, int shards, int backups, long length, List<TableSpec> tables) {
        cluster = TrainingCluster.of(Map.of("server", servers)).start();
        team = cluster.join("worker-0");
        team.meet(0);
        client = new ParameterClient(team, "bench", length, shards, tables, PATIENCE);
        try (Scope scope = Scope.open()) {
            client.setUp(Tensor.zeros(Shape.of(length), DType.FLOAT32), Optimizers.sgd(1), backups);
        }
    }

    @Override
    public void close() {
        team.close();
        cluster.close();
    }
}
