package dev.tutti.train.feed;

import dev.tutti.data.Chunk;
import dev.tutti.data.Position;
import java.util.ArrayList;
import java.util.List;

/**
 * How far a chunk was read.
 *
 * @param chunk its number
 * @param finished whether nothing is left of it
 * @param rows rows that came out of it
 * @param counters what the dataset's stages had counted
 */
record ChunkPlace(int chunk, boolean finished, long rows, List<Long> counters) {
    private static final int HEAD = 4;

    ChunkPlace {
        counters = List.copyOf(counters);
    }

    /** The place of a reader in a chunk. */
    static ChunkPlace at(Position position, boolean finished) {
        return new ChunkPlace(
                position.chunk().number(), finished, position.rows(), finished ? List.of() : position.counters());
    }

    /** Where to go on with it. */
    Position position(int epoch, Chunk cut) {
        return new Position(epoch, cut, rows, counters);
    }

    /** Places as numbers, to be sent to others or kept. */
    static List<Long> numbers(Iterable<ChunkPlace> places) {
        List<Long> numbers = new ArrayList<>();
        for (ChunkPlace place : places) {
            numbers.addAll(
                    List.of((long) place.chunk, place.finished ? 1L : 0L, place.rows, (long) place.counters.size()));
            numbers.addAll(place.counters);
        }
        return numbers;
    }

    static List<ChunkPlace> of(List<Long> numbers) {
        List<ChunkPlace> places = new ArrayList<>();
        int at = 0;
        while (at < numbers.size()) {
            int counters = Math.toIntExact(numbers.get(at + 3));
            places.add(new ChunkPlace(
                    Math.toIntExact(numbers.get(at)),
                    numbers.get(at + 1) > 0,
                    numbers.get(at + 2),
                    numbers.subList(at + HEAD, at + HEAD + counters)));
            at += HEAD + counters;
        }
        return places;
    }
}
