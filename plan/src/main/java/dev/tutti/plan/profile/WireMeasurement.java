package dev.tutti.plan.profile;

import dev.tutti.TuttiException;
import dev.tutti.array.DType;
import dev.tutti.array.Shape;
import dev.tutti.comm.Collectives;
import dev.tutti.comm.Group;
import dev.tutti.comm.Member;
import dev.tutti.comm.network.NetworkCollectives;
import dev.tutti.comm.transport.FolderBoard;
import dev.tutti.plan.WireCosts;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;

/** Two members of this process that sum vectors over the loopback device: what is left of a sum when the network takes no time. */
public final class WireMeasurement {
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final int SHORT_CALLS = 100;
    private static final int LONG_CALLS = 4;
    private static final long LONG_ELEMENTS = 4L << 20;

    /** Rounds of a sum of two members: one in which they agree, two of the ring. */
    private static final int ROUNDS = 3;

    private WireMeasurement() {}

    /** Measures for about a second. */
    public static WireCosts measure() {
        Path folder = null;
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try {
            folder = Files.createTempDirectory("tutti-wire");
            Path board = folder;
            Future<double[]> first = threads.submit(member(board, 0));
            Future<double[]> second = threads.submit(member(board, 1));
            double[] seconds = first.get();
            second.get();
            double bytes = LONG_ELEMENTS * (double) DType.FLOAT32.bytes();
            return new WireCosts(seconds[0] / ROUNDS, bytes / Math.max(1e-9, seconds[1] - seconds[0]));
        } catch (IOException e) {
            throw new TuttiException("a temporary folder cannot be made: " + e.getMessage(), e);
        } catch (ExecutionException e) {
            throw new TuttiException(
                    "two members of this machine could not sum over the loopback device: "
                            + e.getCause().getMessage(),
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new TuttiException("interrupted while sums were measured", e);
        } finally {
            threads.shutdownNow();
            delete(folder);
        }
    }

    private static Callable<double[]> member(Path folder, int rank) {
        return () -> {
            Group group = new Group(1, rank, List.of(new Member("worker-0", "a"), new Member("worker-1", "a")));
            try (Scope scope = Scope.open();
                    Collectives collectives = NetworkCollectives.open(
                            group, new FolderBoard(folder, LIMIT), LIMIT, InetAddress.getLoopbackAddress())) {
                double few = seconds(collectives, Tensor.zeros(Shape.of(16), DType.FLOAT32), SHORT_CALLS);
                double many = seconds(collectives, Tensor.zeros(Shape.of(LONG_ELEMENTS), DType.FLOAT32), LONG_CALLS);
                collectives.barrier("the end"); // neither leaves while the other still sums
                return new double[] {few, many};
            }
        };
    }

    private static double seconds(Collectives collectives, Tensor values, int calls) {
        collectives.allReduce("warm-up", values);
        List<Double> measured = new ArrayList<>();
        for (int i = 0; i < calls; i++) {
            long began = System.nanoTime();
            collectives.allReduce("measured", values);
            measured.add((System.nanoTime() - began) / 1e9);
        }
        measured.sort(null);
        return measured.get(calls / 4); // other programs on this machine make some calls slow, and none fast
    }

    private static void delete(Path folder) {
        if (folder == null) {
            return;
        }
        try (Stream<Path> files = Files.walk(folder)) {
            files.sorted((a, b) -> b.compareTo(a)).forEach(path -> path.toFile().delete());
        } catch (IOException e) {
            folder.toFile().deleteOnExit();
        }
    }
}
