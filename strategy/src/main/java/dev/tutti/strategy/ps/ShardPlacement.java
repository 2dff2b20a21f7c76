package dev.tutti.strategy.ps;

import dev.tutti.array.NamedRange;
import dev.tutti.array.Range;
import dev.tutti.tensor.vector.FusedUpdate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The shards of a vector, and which of them belong on a certain server. Parameters that are pinned by name are shards of their own; what is
 * left is cut into equal numbers of bytes. All cuts are at multiples of {@link FusedUpdate#BLOCK}, so that the update of a shard is the
 * same bits as that of the whole; a pinned shard may hold a few neighbours, and lack a few elements at its beginning.
 *
 * @param ranges by shard, in the order of the vector
 * @param pins the server of each shard, {@link #ANYWHERE} for those that are not pinned
 */
record ShardPlacement(List<Range> ranges, List<Integer> pins) {
    static final int ANYWHERE = -1;

    ShardPlacement {
        ranges = List.copyOf(ranges);
        pins = List.copyOf(pins);
    }

    /**
     * Cuts a vector.
     *
     * @param shards so many for what is not pinned, or a few more where pinned parameters lie in between
     * @param pinned servers by patterns of names, in which {@code *} stands for any text; the first that fits counts
     */
    static ShardPlacement of(long size, int shards, List<NamedRange> parameters, Map<String, Integer> pinned) {
        if (pinned.isEmpty()) {
            List<Range> cuts = equalParts(size, shards);
            return new ShardPlacement(cuts, cuts.stream().map(cut -> ANYWHERE).toList());
        }
        int[] server = servers(size, parameters, pinned);
        long free = Arrays.stream(server).filter(each -> each == ANYWHERE).count();
        Range all = new Range(0, free);
        List<Range> ranges = new ArrayList<>();
        List<Integer> pins = new ArrayList<>();
        int begin = 0;
        long freeBefore = 0; // free blocks in front of the present one
        int part = 0;
        for (int block = 0; block < server.length; block++) {
            boolean isFree = server[block] == ANYWHERE;
            freeBefore += isFree ? 1 : 0;
            boolean partEnds = isFree
                    && part < shards
                    && freeBefore == all.part(part, shards).to();
            boolean runEnds = block == server.length - 1 || server[block + 1] != server[block];
            if (partEnds || runEnds) {
                ranges.add(Range.between(
                        (long) begin * FusedUpdate.BLOCK, Math.min(size, (block + 1L) * FusedUpdate.BLOCK)));
                pins.add(server[block]);
                begin = block + 1;
            }
            while (isFree
                    && part < shards
                    && freeBefore >= all.part(part, shards).to()) {
                part++;
            }
        }
        return new ShardPlacement(ranges, pins);
    }

    /** As many ranges of equal numbers of bytes as there are shards; none is empty unless the vector has fewer blocks than shards. */
    static List<Range> equalParts(long size, int shards) {
        long blocks = (size + FusedUpdate.BLOCK - 1) / FusedUpdate.BLOCK;
        Range all = new Range(0, blocks);
        List<Range> cuts = new ArrayList<>();
        for (int i = 0; i < shards; i++) {
            Range part = all.part(i, shards);
            cuts.add(Range.between(
                    Math.min(size, part.from() * FusedUpdate.BLOCK), Math.min(size, part.to() * FusedUpdate.BLOCK)));
        }
        return cuts;
    }

    /** The server of each block: that of the parameter which its first element belongs to. */
    private static int[] servers(long size, List<NamedRange> parameters, Map<String, Integer> pinned) {
        int[] server = new int[Math.toIntExact((size + FusedUpdate.BLOCK - 1) / FusedUpdate.BLOCK)];
        Arrays.fill(server, ANYWHERE);
        for (NamedRange parameter : parameters) {
            int pin = pin(parameter.name(), pinned);
            if (pin != ANYWHERE) {
                long first = (parameter.range().from() + FusedUpdate.BLOCK - 1) / FusedUpdate.BLOCK;
                long behind = (parameter.range().to() + FusedUpdate.BLOCK - 1) / FusedUpdate.BLOCK;
                Arrays.fill(server, (int) Math.min(first, server.length), (int) Math.min(behind, server.length), pin);
            }
        }
        return server;
    }

    private static int pin(String name, Map<String, Integer> pinned) {
        return pinned.entrySet().stream()
                .filter(each -> matches(each.getKey(), name))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElse(ANYWHERE);
    }

    static boolean matches(String pattern, String name) {
        return Pattern.matches(
                Arrays.stream(pattern.split("\\*", -1)).map(Pattern::quote).collect(Collectors.joining(".*")), name);
    }

    boolean isPinned(int shard) {
        return pins.get(shard) != ANYWHERE;
    }

    /** The server that each shard begins on, out of so many: pinned ones where they belong, the others where there are the fewest bytes. */
    List<Integer> places(int servers) {
        long[] length = new long[servers];
        Integer[] place = new Integer[ranges.size()];
        for (int shard = 0; shard < place.length; shard++) {
            if (isPinned(shard)) {
                place[shard] = pins.get(shard) % servers;
                length[place[shard]] += ranges.get(shard).length();
            }
        }
        int next = 0; // among servers with the same number of bytes one after the other
        for (int shard = 0; shard < place.length; shard++) {
            if (!isPinned(shard)) {
                int least = next % servers;
                for (int server = 0; server < servers; server++) {
                    int candidate = (next + server) % servers;
                    least = length[candidate] < length[least] ? candidate : least;
                }
                place[shard] = least;
                length[least] += ranges.get(shard).length();
                next = least + 1;
            }
        }
        return List.of(place);
    }
}
