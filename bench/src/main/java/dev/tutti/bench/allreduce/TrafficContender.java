package dev.tutti.bench.allreduce;

import dev.tutti.host.HostTuning;
import dev.tutti.json.Json;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** Counts what each member sends for one all-reduce: {@code TrafficContender --wire shared --members 3}. */
public final class TrafficContender {
    /** Divisible by 2, 3 and 4, so that all parts are of the same size. */
    public static final int ELEMENTS = 12 << 20;

    public static final String SENT = "bytes_sent";

    private TrafficContender() {}

    public static void main(String[] arguments) {
        HostTuning.apply();
        WireContender.Options options = WireContender.Options.parse(arguments);
        try (WireTeam team = new WireTeam(options.wire(), options.members())) {
            List<Long> before = team.sum(1, 1).sent();
            List<Long> after = team.sum(ELEMENTS, 1).sent();
            List<Long> sent = IntStream.range(0, options.members())
                    .mapToObj(rank -> after.get(rank) - before.get(rank))
                    .distinct()
                    .toList();
            if (sent.size() != 1) {
                throw new IllegalStateException("Members have sent different numbers of bytes: " + sent + ".");
            }
            System.out.println(Json.write(Map.of(SENT, sent.get(0))));
        }
    }
}
