package dev.tutti.comm;

import dev.tutti.array.DType;
import dev.tutti.array.Shape;
import dev.tutti.comm.transport.FolderBoard;
import dev.tutti.host.HostTuning;
import dev.tutti.tensor.Engine;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A member in a JVM of its own: sums once with the others, then meets them at barriers until something fails, and writes what. */
final class TestingMember {
    static final Duration TIMEOUT = Duration.ofSeconds(60);

    private TestingMember() {}

    public static void main(String[] args) throws IOException {
        HostTuning.apply();
        Path folder = Path.of(args[1]);
        int rank = Integer.parseInt(args[2]);
        String end;
        try (Collectives collectives = open(Kind.valueOf(args[0]), folder, rank, Integer.parseInt(args[3]))) {
            end = "sum " + sum(collectives);
            Files.writeString(folder.resolve("sum-" + rank), end);
            while (true) {
                collectives.barrier("on and on");
            }
        } catch (MemberLostException e) {
            end = e.members() + " " + e.getMessage();
        }
        Path written = Files.writeString(folder.resolve("writing-" + rank), end);
        Files.move(written, folder.resolve("end-" + rank));
    }

    static Collectives open(Kind kind, Path folder, int rank, int count) {
        List<Member> members = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            members.add(new Member("worker-" + i, kind == Kind.TLS ? kind.host(i) : "here"));
        }
        return kind.open(new Group(3, rank, members), new FolderBoard(folder, TIMEOUT), TIMEOUT);
    }

    static double sum(Collectives collectives) {
        Engine.useThreads(1); // so that no other threads come and go
        try (Scope scope = Scope.open()) {
            Tensor values = Tensor.full(Shape.of(100_001), collectives.group().rank() + 1, DType.FLOAT32);
            collectives.allReduce("first", values);
            return values.sum().item();
        }
    }
}
