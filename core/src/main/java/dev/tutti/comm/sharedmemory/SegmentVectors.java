package dev.tutti.comm.sharedmemory;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.array.Range;
import dev.tutti.comm.Group;
import dev.tutti.comm.sharedmemory.SegmentLayout.Note;
import dev.tutti.comm.transport.SharedVectors;
import dev.tutti.comm.transport.TrafficMeter;
import dev.tutti.comm.transport.Transport;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Vectors of JVMs of one machine: each member makes a segment for its own, and all map all of them. */
final class SegmentVectors implements SharedVectors {
    private static final Logger LOG = LoggerFactory.getLogger(SegmentVectors.class);
    private static final int PATH_BYTES = 256;

    private final Group group;
    private final SegmentNotes notes;
    private final TrafficMeter meter;
    private final List<Segment> segments;
    private final List<Tensor> all = new ArrayList<>();

    private SegmentVectors(
            Group group, SegmentNotes notes, TrafficMeter meter, List<Segment> segments, DType type, long elements) {
        this.group = group;
        this.notes = notes;
        this.meter = meter;
        this.segments = segments;
        try (Scope scope = Scope.open()) {
            segments.forEach(
                    segment -> all.add(segment.memory().tensor(type, elements).retain()));
        }
    }

    /** Empty, on all members, where one of them has no room for it. */
    static Optional<SharedVectors> open(
            Group group, Transport transport, SegmentNotes notes, TrafficMeter meter, DType type, long elements) {
        Segment own = create(elements * type.bytes());
        List<Segment> segments = new ArrayList<>();
        boolean shared = false;
        try (Scope scope = Scope.open()) {
            for (String path : tellPaths(group, transport, own)) {
                segments.add(segments.size() == group.rank() ? own : map(path));
            }
            Tensor able = Tensor.of(new long[] {segments.contains(null) ? 0 : 1}, 1);
            transport.allReduce(able);
            shared = able.item() == group.size();
            return shared
                    ? Optional.of(new SegmentVectors(group, notes, meter, segments, type, elements))
                    : Optional.empty();
        } finally {
            if (own != null) {
                own.unlink(); // all have it, or will not
            }
            if (!shared) {
                segments.stream()
                        .filter(segment -> segment != null && segment != own)
                        .forEach(Segment::close);
                if (own != null) {
                    own.close();
                }
            }
        }
    }

    private static Segment create(long bytes) {
        try {
            return Segment.createInMemory(Math.toIntExact(bytes));
        } catch (IOException | ArithmeticException e) {
            LOG.info(
                    "no room for {} bytes of shared memory ({}): sums go through a smaller one", bytes, e.getMessage());
            return null;
        }
    }

    private static Segment map(String path) {
        try {
            return path.isEmpty() ? null : Segment.open(Path.of(path));
        } catch (IOException e) {
            LOG.info("{} could not be mapped: {}", path, e.getMessage());
            return null;
        }
    }

    /** Where each member's segment is; nothing for those who have none. */
    private static List<String> tellPaths(Group group, Transport transport, Segment own) {
        byte[] mine = own == null ? new byte[0] : own.path().toString().getBytes(UTF_8);
        byte[] bytes = new byte[group.size() * PATH_BYTES];
        System.arraycopy(mine, 0, bytes, group.rank() * PATH_BYTES, mine.length);
        Tensor paths = Tensor.of(NdArray.of(bytes, bytes.length));
        transport.allGather(paths);
        byte[] all = paths.toArray().bytes();
        List<String> out = new ArrayList<>();
        for (int rank = 0; rank < group.size(); rank++) {
            Range range = group.part(all.length, rank);
            byte[] path = Arrays.copyOfRange(all, (int) range.from(), (int) range.to());
            out.add(new String(path, UTF_8).replace("\0", ""));
        }
        return out;
    }

    @Override
    public List<Tensor> all() {
        return all;
    }

    @Override
    public TrafficMeter meter() {
        return meter;
    }

    @Override
    public long said(Stage stage) {
        return notes.get(group.rank(), note(stage));
    }

    @Override
    public void say(Stage stage, long rounds) {
        notes.set(note(stage), rounds);
    }

    @Override
    public void awaitAll(Stage stage, long rounds, String about) {
        notes.awaitAll(note(stage), rounds, about);
    }

    private static Note note(Stage stage) {
        return stage == Stage.PREPARED ? Note.PREPARED : Note.RELEASED;
    }

    @Override
    public void close() {
        segments.forEach(Segment::close);
    }
}
