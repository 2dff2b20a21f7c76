package dev.tutti.train.checkpoint;

import dev.tutti.TuttiException;
import dev.tutti.array.DType;
import dev.tutti.array.Range;
import dev.tutti.array.Shape;
import dev.tutti.json.Json;
import dev.tutti.nn.Slice;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import dev.tutti.train.TrainingException;
import dev.tutti.train.replica.Agreement;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A checkpoint that one member has opened, for all members of a group: each reads the slices that it needs from the file where all of them
 * can; otherwise the one that has it reads it and the elements travel, piece by piece.
 */
public final class SharedCheckpoint {
    /** As much as {@code Agreement.broadcast} sends at once. */
    private static final long PIECE = 1L << 26;

    private final Agreement agreement;
    private final int source;
    private final Contents contents;
    private final Checkpoint own; // null: this member cannot read it
    private final boolean readByAll;

    /** What members that cannot read the file must know. */
    private record Contents(ProgressMessage message, String file, String checksum, List<Named> tensors) {}

    private record Named(String name, long[] shape, DType type) {}

    private SharedCheckpoint(Agreement agreement, int source, Contents contents, Checkpoint own, boolean readByAll) {
        this.agreement = agreement;
        this.source = source;
        this.contents = contents;
        this.own = own;
        this.readByAll = readByAll;
    }

    /**
     * Makes a checkpoint known to all members; all call it.
     *
     * @param opened there on the member with rank {@code source}; ignored on the others
     */
    public static SharedCheckpoint of(Agreement agreement, int source, boolean isSource, Optional<Checkpoint> opened) {
        String text = agreement.text("progress", () -> Json.write(contents(opened.orElseThrow())), source);
        Contents contents = Json.read(text, Contents.class, "another member's checkpoint");
        Checkpoint own = isSource ? opened.orElseThrow() : find(contents);
        boolean missing = agreement.any("checkpoint out of reach", own == null)[0];
        return new SharedCheckpoint(agreement, source, contents, own, !missing);
    }

    private static Contents contents(Checkpoint checkpoint) {
        List<Named> tensors = checkpoint.names().stream()
                .filter(name -> !name.startsWith(Checkpoint.TOTALS))
                .map(name -> new Named(name, checkpoint.shape(name).toArray(), checkpoint.type(name)))
                .toList();
        return new Contents(
                checkpoint.message(), checkpoint.file().toAbsolutePath().toString(), checkpoint.checksum(), tensors);
    }

    /** The same file as seen from here; null if there is none, or another one. */
    private static Checkpoint find(Contents contents) {
        try {
            Checkpoint found = Checkpoint.openUnverified(Path.of(contents.file));
            return found.checksum().equals(contents.checksum) ? found : null;
        } catch (TuttiException e) {
            return null;
        }
    }

    /** The names of what it holds, but for sums of the epoch; the same on all members. */
    Set<String> names() {
        Set<String> names = new LinkedHashSet<>();
        contents.tensors.forEach(tensor -> names.add(tensor.name));
        return names;
    }

    Shape shape(String name) {
        return Shape.of(named(name).shape);
    }

    DType type(String name) {
        return named(name).type;
    }

    private Named named(String name) {
        return contents.tensors.stream()
                .filter(tensor -> tensor.name.equals(name))
                .findFirst()
                .orElseThrow(() -> new TrainingException("the checkpoint has no '" + name + "'"));
    }

    public ProgressMessage message() {
        return contents.message;
    }

    /** Writes the slices that this member needs; all members call it. */
    public void read(Map<Slice, Tensor> into) {
        if (readByAll) {
            into.forEach(own::read);
            return;
        }
        Set<String> missing = new HashSet<>();
        into.keySet().forEach(slice -> missing.add(slice.parameter()));
        for (Named tensor : contents.tensors) {
            receive(tensor, into);
            missing.remove(tensor.name);
        }
        if (!missing.isEmpty()) {
            throw new TrainingException(
                    "the checkpoint has no '" + missing.iterator().next() + "', which this run needs to go on");
        }
    }

    private void receive(Named tensor, Map<Slice, Tensor> into) {
        Slice all = Slice.all(tensor.name, Shape.of(tensor.shape));
        long row = Math.max(1, all.whole().size() / Math.max(1, all.rows().length()));
        long rows = Math.max(1, PIECE / row);
        for (long from = 0; from < all.rows().length(); from += rows) {
            Slice piece = all.at(new Range(from, Math.min(rows, all.rows().length() - from)));
            try (Scope scope = Scope.open()) {
                Tensor values = Tensor.empty(piece.shape(), tensor.type);
                if (isSource()) {
                    own.read(piece, values);
                }
                agreement.broadcast("checkpoint: " + tensor.name, values, source);
                into.forEach((slice, target) -> copy(piece, values, slice, target));
            }
        }
    }

    private boolean isSource() {
        return own != null && agreement.isSelf(source);
    }

    /** Copies what of a piece, which has rows of the first axis, lies in a slice. */
    private static void copy(Slice piece, Tensor values, Slice slice, Tensor target) {
        if (!slice.parameter().equals(piece.parameter())) {
            return;
        }
        if (piece.whole().rank() == 0) {
            target.copy_(values);
            return;
        }
        Range rows = piece.rows();
        if (slice.axis() == 0) {
            Range common = rows.intersect(slice.rows());
            if (!common.isEmpty()) {
                target.narrow(0, common.from() - slice.rows().from(), common.length())
                        .copy_(values.narrow(0, common.from() - rows.from(), common.length()));
            }
        } else {
            target.narrow(0, rows.from(), rows.length())
                    .copy_(values.narrow(
                            slice.axis(), slice.rows().from(), slice.rows().length()));
        }
    }
}
