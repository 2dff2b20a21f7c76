package dev.tutti.train.replica;

import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.array.Shape;
import dev.tutti.comm.Collectives;
import dev.tutti.json.Json;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** What members tell each other at length: named arrays and notes, of which only the sender knows the sizes. */
final class ObjectCollectives {
    /** Numbers that go along in the first message: more than the usual metrics of a batch need. */
    static final int ROOM = 15;

    private final Collectives collectives;

    ObjectCollectives(Collectives collectives) {
        this.collectives = collectives;
    }

    /** What the other members must know before the arrays come. */
    private record Contents(List<Entry> arrays) {}

    private record Entry(String name, DType type, Shape shape) {}

    /** The arrays of all members, by rank. */
    List<Map<String, NdArray>> all(String what, Map<String, NdArray> mine) {
        List<Map<String, NdArray>> all = new ArrayList<>();
        for (int rank = 0; rank < collectives.group().size(); rank++) {
            all.add(arrays(what, rank == collectives.group().rank() ? mine : null, rank));
        }
        return all;
    }

    /** The numbers of all members, by rank. Few numbers take one message. */
    List<long[]> numbers(String what, long[] mine) {
        List<long[]> heads = List.of(collectives.gatherLongs(what, head(mine)));
        int longest = heads.stream().mapToInt(ObjectCollectives::length).max().orElseThrow();
        if (longest <= ROOM) {
            return heads.stream()
                    .map(head -> Arrays.copyOfRange(head, 1, 1 + length(head)))
                    .toList();
        }
        long[][] wholes = collectives.gatherLongs(what + ": all", Arrays.copyOf(mine, longest));
        return IntStream.range(0, wholes.length)
                .mapToObj(rank -> Arrays.copyOf(wholes[rank], length(heads.get(rank))))
                .toList();
    }

    /** How many numbers there are, and as many of them as fit behind that. */
    private static long[] head(long[] numbers) {
        long[] head = new long[1 + ROOM];
        head[0] = numbers.length;
        System.arraycopy(numbers, 0, head, 1, Math.min(ROOM, numbers.length));
        return head;
    }

    private static int length(long[] head) {
        return Math.toIntExact(head[0]);
    }

    private Map<String, NdArray> arrays(String what, Map<String, NdArray> mine, int source) {
        Contents contents = mine == null
                ? null
                : new Contents(mine.entrySet().stream()
                        .map(array -> new Entry(
                                array.getKey(),
                                array.getValue().type(),
                                array.getValue().shape()))
                        .toList());
        String text = text(what + ": contents", contents == null ? null : Json.write(contents), source);
        Map<String, NdArray> arrays = new LinkedHashMap<>();
        for (Entry entry :
                Json.read(text, Contents.class, "another member's " + what).arrays()) {
            try (Scope scope = Scope.open()) {
                Tensor tensor =
                        mine == null ? Tensor.zeros(entry.shape(), entry.type()) : Tensor.of(mine.get(entry.name()));
                collectives.broadcast(what + ": " + entry.name(), tensor, source);
                arrays.put(entry.name(), mine == null ? tensor.toArray() : mine.get(entry.name()));
            }
        }
        return arrays;
    }

    /** Gives a text to all others, who pass null; all return it. */
    String text(String what, String mine, int source) {
        try (Scope scope = Scope.open()) {
            byte[] bytes = mine == null ? new byte[0] : mine.getBytes(StandardCharsets.UTF_8);
            Tensor length = Tensor.of(new long[] {bytes.length}, 1);
            collectives.broadcast(what + ": length", length, source);
            long count = length.toArray().longs()[0];
            Tensor text = mine == null
                    ? Tensor.zeros(Shape.of(count), DType.UINT8)
                    : Tensor.of(NdArray.of(bytes, bytes.length));
            collectives.broadcast(what, text, source);
            return mine == null ? new String(text.toArray().bytes(), StandardCharsets.UTF_8) : mine;
        }
    }
}
