package dev.tutti.bench.network;

import dev.tutti.array.DType;
import dev.tutti.array.Shape;
import dev.tutti.comm.Collectives;
import dev.tutti.comm.Group;
import dev.tutti.comm.Member;
import dev.tutti.comm.network.HierarchicalCollectives;
import dev.tutti.comm.network.NetworkCollectives;
import dev.tutti.comm.transport.FolderBoard;
import dev.tutti.comm.transport.SumWay;
import dev.tutti.host.HostTuning;
import dev.tutti.json.Json;
import dev.tutti.tensor.Engine;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A member on one of several hosts: {@code SumMember RANK HOSTS MEMBERS_OF_EACH FOLDER ADDRESS WAYS ORDERS}. It sums with the others in
 * every way, and the first one writes the seconds of each vector, by way.
 */
public final class SumMember {
    /** What the line with the result begins with: Gloo prints lines of its own. */
    static final String RESULT = "@seconds ";

    /** The way that {@code Trainer.fit} takes: chosen for each sum by what was measured. */
    static final String CHOSEN = "chosen";

    private static final Duration WAIT = Duration.ofMinutes(2);

    private SumMember() {}

    public static void main(String[] arguments) throws UnknownHostException {
        HostTuning.apply();
        Engine.useThreads(1);
        int rank = Integer.parseInt(arguments[0]);
        int hosts = Integer.parseInt(arguments[1]);
        int membersOfEach = Integer.parseInt(arguments[2]);
        Path folder = Path.of(arguments[3]);
        InetAddress address = InetAddress.getByName(arguments[4]);
        SumOrders orders = SumOrders.parse(arguments[6]);
        List<Member> members = new ArrayList<>();
        for (int i = 0; i < hosts * membersOfEach; i++) {
            members.add(new Member("worker-" + i, "host-" + i / membersOfEach));
        }
        Group group = new Group(1, rank, members);
        Map<String, List<Double>> seconds = new LinkedHashMap<>();
        for (String way : arguments[5].split(",")) {
            FolderBoard board = new FolderBoard(folder.resolve(way), WAIT);
            SumWay fixed = way.equals(CHOSEN) ? null : SumWay.valueOf(way.toUpperCase(Locale.ROOT));
            try (Collectives collectives = membersOfEach > 1
                    ? HierarchicalCollectives.open(group, board, WAIT)
                    : NetworkCollectives.open(group, board, WAIT, address, fixed)) {
                seconds.put(way, measure(collectives, orders));
            }
        }
        if (rank == 0) {
            System.out.println(RESULT + Json.write(seconds).replace("\n", " "));
        }
    }

    private static List<Double> measure(Collectives collectives, SumOrders orders) {
        List<Double> seconds = new ArrayList<>();
        for (int i = 0; i < orders.bytes().size(); i++) {
            try (Scope scope = Scope.open()) {
                Tensor vector = Tensor.full(Shape.of(orders.bytes().get(i) / Float.BYTES), 1e-30, DType.FLOAT32);
                collectives.allReduce("warm-up", vector);
                List<Double> each = new ArrayList<>();
                for (int time = 0; time < orders.times().get(i); time++) {
                    collectives.barrier("next");
                    long began = System.nanoTime();
                    collectives.allReduce("vector", vector);
                    each.add((System.nanoTime() - began) / 1e9);
                }
                each.sort(null);
                seconds.add(each.get((each.size() - 1) / 2));
            }
        }
        collectives.barrier("the end");
        return seconds;
    }
}
