package dev.tutti.train.checkpoint;

import dev.tutti.array.DType;
import dev.tutti.array.Range;
import dev.tutti.array.Shape;
import dev.tutti.io.CorruptFileException;
import dev.tutti.io.TensorFile;
import dev.tutti.json.Json;
import dev.tutti.nn.Slice;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import dev.tutti.train.replica.StateInventory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/** Named tensors, slices of which lie in several files: read by slice, independent of the slices that they were written in. */
final class SlicedTensors {
    private static final String SLICES = "tutti.slices";

    /**
     * A file of slices.
     *
     * @param checksum as the file itself states it
     */
    record Part(String file, long bytes, String checksum) {
        /** @param table the file beside it that names it */
        TensorFile open(Path table, boolean verify) {
            Path path = table.resolveSibling(file);
            if (!Files.isRegularFile(path)) {
                throw new CorruptFileException(table.toString(), "its part " + file + " is missing");
            }
            TensorFile content = verify ? TensorFile.openVerified(path) : TensorFile.open(path);
            if (content.bytes() != bytes || !content.checksum().equals(checksum)) {
                throw new CorruptFileException(
                        path.toString(),
                        "is not the part that " + table.getFileName() + " names: expected " + bytes
                                + " bytes with the checksum " + checksum + ", received " + content.bytes() + " with "
                                + content.checksum());
            }
            return content;
        }
    }

    /** The slices of a part file by the names of its tensors, as the file notes them. */
    private record SliceNote(Map<String, StateInventory.Entry> slices) {}

    /** A slice that lies in a file under a name. */
    private record Piece(Slice slice, TensorFile file, String entry) {}

    private final Map<String, List<Piece>> pieces = new LinkedHashMap<>();

    /** Writes slices into a file, which notes where they belong. */
    static String write(Path file, Map<Slice, Tensor> slices) {
        Map<String, Tensor> tensors = new LinkedHashMap<>();
        Map<String, StateInventory.Entry> notes = new LinkedHashMap<>();
        slices.forEach((slice, tensor) -> {
            tensors.put(entryName(slice), tensor);
            notes.put(entryName(slice), StateInventory.Entry.of(slice));
        });
        return TensorFile.write(file, tensors, Map.of(SLICES, Json.write(new SliceNote(notes))));
    }

    /** The name that a slice has in a file. */
    private static String entryName(Slice slice) {
        return slice.isAll() ? slice.parameter() : slice.parameter() + slice.rows();
    }

    /** Adds what a file holds; where it has no note of slices its tensors are whole. */
    void add(TensorFile content) {
        String note = content.metadata().get(SLICES);
        Map<String, StateInventory.Entry> slices = note == null
                ? Map.of()
                : Json.read(note, SliceNote.class, "the note of slices").slices();
        for (String entry : content.names()) {
            Slice slice =
                    slices.containsKey(entry) ? slices.get(entry).slice() : Slice.all(entry, content.shape(entry));
            pieces.computeIfAbsent(slice.parameter(), name -> new ArrayList<>()).add(new Piece(slice, content, entry));
        }
    }

    Set<String> names() {
        return Collections.unmodifiableSet(pieces.keySet());
    }

    /** The shape of all of a tensor that is there. */
    Shape shape(String name) {
        return first(name).slice.whole();
    }

    DType type(String name) {
        return first(name).file.type(first(name).entry);
    }

    private Piece first(String name) {
        return pieces.get(name).get(0);
    }

    /** Tells the files that a slice of a tensor that is there would be read from. */
    void forEachFileOf(Slice slice, Consumer<TensorFile> files) {
        for (Piece piece : pieces.get(slice.parameter())) {
            Slice wanted = piece.slice.isAll() ? slice : slice.along(piece.slice.axis());
            if (piece.slice.isAll()
                    || piece.slice.axis() != wanted.axis()
                    || !piece.slice.rows().intersect(wanted.rows()).isEmpty()) {
                files.accept(piece.file);
            }
        }
    }

    /**
     * Reads a slice of a tensor that is there, from as many files as it lies in.
     *
     * @param from stands for the files in messages
     * @throws CorruptFileException if the files hold only some of it
     */
    void read(Slice slice, Tensor into, String from) {
        long read = 0;
        for (Piece piece : pieces.get(slice.parameter())) {
            read += read(piece, slice, into);
        }
        Slice first = first(slice.parameter()).slice;
        Slice along = slice.along(first.axis());
        long expected = first.isAll() || along.axis() == first.axis()
                ? along.rows().length()
                : slice.whole().dim(first.axis());
        if (read < expected) {
            throw new CorruptFileException(
                    from, "holds " + read + " of the rows " + slice.rows() + " of '" + slice.parameter() + "'");
        }
    }

    private static long read(Piece piece, Slice wanted, Tensor into) {
        Slice slice = piece.slice.isAll() ? wanted : wanted.along(piece.slice.axis());
        if (piece.slice.isAll()) { // may be read along any axis
            piece.file.read(piece.entry, slice.axis(), slice.rows(), into);
            return slice.rows().length();
        }
        if (piece.slice.axis()
                != slice.axis()) { // the piece has some of the columns of the slice's rows, or the other way round
            try (Scope scope = Scope.open()) {
                Range across = piece.slice.rows();
                piece.file.read(
                        piece.entry,
                        slice.axis(),
                        slice.rows(),
                        into.narrow(piece.slice.axis(), across.from(), across.length()));
                return across.length();
            }
        }
        Range common = piece.slice.rows().intersect(slice.rows());
        if (common.isEmpty()) {
            return 0;
        }
        try (Scope scope = Scope.open()) {
            Range within = new Range(common.from() - piece.slice.rows().from(), common.length());
            Tensor target = common.equals(slice.rows())
                    ? into
                    : into.narrow(slice.axis(), common.from() - slice.rows().from(), common.length());
            piece.file.read(piece.entry, slice.axis(), within, target);
        }
        return common.length();
    }
}
