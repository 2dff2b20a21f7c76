package dev.tutti.train.checkpoint;

import dev.tutti.array.DType;
import dev.tutti.array.Shape;
import dev.tutti.io.AtomicFolder;
import dev.tutti.io.CorruptFileException;
import dev.tutti.io.FileException;
import dev.tutti.io.TensorFile;
import dev.tutti.nn.Slice;
import dev.tutti.tensor.Tensor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The weights of a saved model: {@code weights.safetensors}; or, where members held parts of the model, one such file for each of them and
 * {@code weights.safetensors.index.json}. They are read by slice, independent of the parts that they were written in.
 *
 * <p>A file is compared with its checksum before anything is taken from it, and not at all where nothing is.
 */
public final class SavedWeights {
    static final String FILE = "weights.safetensors";
    static final String INDEX = "weights.safetensors.index.json";

    private final String name;
    private final long bytes;
    private final SlicedTensors tensors = new SlicedTensors();
    private final Map<TensorFile, Path> unverified = new IdentityHashMap<>();

    private SavedWeights(String name, long bytes) {
        this.name = name;
        this.bytes = bytes;
    }

    /**
     * Opens the weights of a saved model.
     *
     * @throws FileException if the folder has none
     * @throws CorruptFileException if a part is missing or is not the one that was written
     */
    public static SavedWeights of(Path model) {
        Path inside = AtomicFolder.readable(model);
        Path index = inside.resolve(INDEX);
        if (!Files.exists(index)) {
            return ofFile(inside.resolve(FILE));
        }
        WeightIndex contents = WeightIndex.read(index);
        SavedWeights weights =
                new SavedWeights(index.toString(), contents.metadata().bytes());
        for (SlicedTensors.Part part : contents.metadata().parts()) {
            weights.add(part.open(index, false), index.resolveSibling(part.file()));
        }
        return weights;
    }

    /** Opens weights that are one file, anywhere. */
    public static SavedWeights ofFile(Path file) {
        TensorFile content = TensorFile.open(file);
        SavedWeights weights = new SavedWeights(file.toString(), content.bytes());
        weights.add(content, file);
        return weights;
    }

    private void add(TensorFile content, Path file) {
        tensors.add(content);
        unverified.put(content, file);
    }

    /** Whether a folder holds weights of either kind. */
    public static boolean areIn(Path model) {
        Path inside = AtomicFolder.readable(model);
        return Files.exists(inside.resolve(FILE)) || Files.exists(inside.resolve(INDEX));
    }

    /** The file that changes whenever the weights of a saved model are replaced. */
    public static Path witness(Path model) {
        Path index = model.resolve(INDEX);
        return Files.exists(index) ? index : model.resolve(FILE);
    }

    /** Where a member of a group writes its part. */
    static Path part(Path folder, int rank, int members) {
        return folder.resolve("weights-%05d-of-%05d.safetensors".formatted(rank + 1, members));
    }

    /** Makes weights of parts that are on disk. */
    static void index(Path folder, List<SlicedTensors.Part> parts) {
        WeightIndex.of(folder.resolve(INDEX), parts).write(folder.resolve(INDEX));
    }

    /** The names of the tensors, in the order in which they were written. */
    public Set<String> names() {
        return tensors.names();
    }

    /** The shape of all of a tensor. */
    public Shape shape(String tensor) {
        require(tensor);
        return tensors.shape(tensor);
    }

    /** The type that a tensor is read in. */
    public DType type(String tensor) {
        require(tensor);
        return tensors.type(tensor);
    }

    /** Bytes of all files. */
    public long bytes() {
        return bytes;
    }

    /** Reads a slice; the tensor has its shape, and any type. */
    public void read(Slice slice, Tensor into) {
        require(slice.parameter());
        Set<TensorFile> files = new HashSet<>();
        tensors.forEachFileOf(slice, files::add);
        for (TensorFile file : files) {
            Path path = unverified.remove(file);
            if (path != null) {
                TensorFile.openVerified(path);
            }
        }
        tensors.read(slice, into, name);
    }

    /** A whole tensor, which belongs to the open scope. */
    public Tensor tensor(String tensor) {
        Tensor all = Tensor.empty(shape(tensor), type(tensor));
        read(Slice.all(tensor, all.shape()), all);
        return all;
    }

    private void require(String tensor) {
        if (!tensors.names().contains(tensor)) {
            throw new FileException(name, "has no tensor '" + tensor + "'");
        }
    }
}
