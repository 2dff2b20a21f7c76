package dev.tutti.bench.allreduce;

import dev.tutti.bench.engine.EngineModel;
import dev.tutti.cluster.Cluster;
import dev.tutti.data.Dataset;
import dev.tutti.host.HostTuning;
import dev.tutti.json.Json;
import dev.tutti.strategy.Strategies;
import dev.tutti.train.Fit;
import dev.tutti.train.Trainer;
import dev.tutti.train.callback.Callback;
import dev.tutti.train.callback.Run;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * Loses one of two workers and measures how long it takes until the next step is done: {@code RecoveryContender --fault kill}, or
 * {@code stop}.
 *
 * <p>The fault comes between two steps of the first worker. The next step needs the other one's gradients, so it is done only
 * after the first has found out, met again and done it on its own.
 */
public final class RecoveryContender {
    public static final String SECONDS = "recovery_seconds";
    private static final String VICTIM = "-Dtutti.member=worker-1";
    private static final int STEPS_BEFORE = 30;

    private RecoveryContender() {}

    public static void main(String[] arguments) {
        HostTuning.apply();
        if (arguments.length != 2 || !arguments[0].equals("--fault")) {
            throw new IllegalArgumentException(
                    "Expected --fault kill or --fault stop, received: " + String.join(" ", arguments));
        }
        String signal = arguments[1].equals("kill") ? "-KILL" : "-STOP";
        Fault fault = new Fault(signal);
        EngineModel model = EngineModel.mlp();
        Dataset data =
                Dataset.of(new RandomSource(model.input().shape().toArray())).batch(model.batch());
        try (Trainer trainer = Trainer.of(model.definition(), EngineModel.RECIPE.optimizer(), EngineModel.RECIPE.loss())
                .cores(1)) {
            trainer.fit(
                    data,
                    Fit.epochs(1)
                            .on(Cluster.processes(2).restarts(0))
                            .with(Strategies.allReduce())
                            .callbacks(fault));
        }
        System.out.println(Json.write(Map.of(SECONDS, fault.recovered)));
    }

    private static final class Fault implements Callback {
        private final String signal;
        private ProcessHandle victim;
        private long struck;
        private double recovered = Double.NaN;

        Fault(String signal) {
            this.signal = signal;
        }

        @Override
        public void step(Run run) {
            long now = System.nanoTime();
            if (run.step() == STEPS_BEFORE) {
                victim = ProcessHandle.current()
                        .children()
                        .filter(Fault::isVictim)
                        .findFirst()
                        .orElseThrow(() -> new IllegalStateException("no child was started with " + VICTIM));
                strike();
                struck = System.nanoTime();
            } else if (run.step() == STEPS_BEFORE + 1) {
                recovered = (now - struck) / 1e9;
                victim.destroyForcibly();
                run.stop("measured");
            }
        }

        /** The arguments as the system has them: Java shows none when the class path is long. */
        private static boolean isVictim(ProcessHandle child) {
            try {
                byte[] arguments = Files.readAllBytes(Path.of("/proc/" + child.pid() + "/cmdline"));
                return new String(arguments, StandardCharsets.UTF_8).contains(VICTIM + "\0");
            } catch (IOException e) {
                return child.info().commandLine().orElse("").contains(VICTIM);
            }
        }

        private void strike() {
            try {
                Process kill = new ProcessBuilder("kill", signal, Long.toString(victim.pid()))
                        .inheritIO()
                        .start();
                if (kill.waitFor() != 0) {
                    throw new IllegalStateException("kill " + signal + " " + victim.pid() + " failed");
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted", e);
            }
        }
    }
}
