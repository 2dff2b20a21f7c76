package dev.tutti.strategy;

import dev.tutti.array.NdArray;
import dev.tutti.comm.BulletinBoard;
import dev.tutti.comm.Collectives;
import dev.tutti.comm.Group;
import dev.tutti.comm.Member;
import dev.tutti.comm.memory.MemoryBoard;
import dev.tutti.comm.sharedmemory.SharedMemoryCollectives;
import dev.tutti.data.Dataset;
import dev.tutti.train.Fit;
import dev.tutti.train.History;
import dev.tutti.train.Trainer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** So many members on threads of this JVM, connected as JVMs of one machine are; nothing happens to them. */
public final class Members {
    private static final Duration DEADLINE = Duration.ofSeconds(60);

    private final int count;
    private int threads = 1;

    private Members(int count) {
        this.count = count;
    }

    public static Members of(int count) {
        return new Members(count);
    }

    /** Workers of each. */
    public Members threads(int workers) {
        threads = workers;
        return this;
    }

    /** What one member ends with. */
    public record Result(Map<String, NdArray> weights, History history) {
        /** Trains, then closes the trainer. */
        public static Result of(Trainer trainer, Dataset data, Fit fit) {
            try (trainer) {
                History history = trainer.fit(data, fit);
                return new Result(trainer.model().arrays(), history);
            }
        }
    }

    /** Runs a real fit on each; what came out, by rank. */
    public List<Result> fit(Supplier<Trainer> trainers, Dataset data, Fit fit) {
        return List.copyOf(new TestingCluster(count)
                .threads(threads)
                .connectedBy(SharedMemoryCollectives::open)
                .run(place -> Result.of(trainers.get(), data, fit.on(place)))
                .values());
    }

    /** Lets each do something with the collectives of the group. */
    public <T> List<T> with(Function<Collectives, T> work) {
        BulletinBoard board = new MemoryBoard(DEADLINE);
        List<Member> all = IntStream.range(0, count)
                .mapToObj(rank -> new Member(TestingCluster.name(rank), "here"))
                .toList();
        List<Callable<T>> members = new ArrayList<>();
        for (int rank = 0; rank < count; rank++) {
            Group group = new Group(1, rank, all);
            members.add(() -> {
                try (Collectives collectives = SharedMemoryCollectives.open(group, board, DEADLINE)) {
                    return work.apply(collectives);
                }
            });
        }
        return MemberThreads.run(members);
    }
}
