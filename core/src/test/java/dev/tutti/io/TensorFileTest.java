package dev.tutti.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.array.Range;
import dev.tutti.array.Shape;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tensors in files are those that {@link Safetensors}, the twin for arrays, reads and writes. */
class TensorFileTest {
    @TempDir
    private Path folder;

    private static Tensor counting(long... shape) {
        int size = Math.toIntExact(Shape.of(shape).size());
        float[] values = new float[size];
        for (int i = 0; i < size; i++) {
            values[i] = i;
        }
        return Tensor.of(values, shape);
    }

    private static Map<String, Tensor> some() {
        Map<String, Tensor> tensors = new LinkedHashMap<>();
        tensors.put("matrix", counting(5, 7));
        tensors.put("number", Tensor.scalarOf(3.5, DType.FLOAT32));
        tensors.put("longs", Tensor.of(new long[] {1, -2, 3}, 3));
        tensors.put("none", Tensor.zeros(Shape.of(0, 4), DType.FLOAT32));
        tensors.put("turned", counting(2, 3, 4).permute(2, 0, 1));
        return tensors;
    }

    @Test
    void writesWhatItsTwinWrites() throws IOException {
        Path file = folder.resolve("a.safetensors");
        Path twin = folder.resolve("b.safetensors");
        Map<String, NdArray> arrays = new LinkedHashMap<>();
        try (Scope scope = Scope.open()) {
            String checksum = TensorFile.write(file, some(), Map.of("note", "text"));
            some().forEach((name, tensor) -> arrays.put(name, tensor.toArray()));
            assertThat(TensorFile.open(file).checksum()).isEqualTo(checksum).hasSize(64);
        }
        new Safetensors(arrays, Map.of("note", "text")).writeWithChecksum(twin);
        assertThat(Files.readAllBytes(file)).isEqualTo(Files.readAllBytes(twin));
        assertThat(Safetensors.readVerified(file).tensors()).isEqualTo(arrays);
        TensorFile read = TensorFile.openVerified(file);
        assertThat(read.metadata()).containsExactly(Map.entry("note", "text"));
        arrays.forEach((name, array) -> assertThat(read.array(name)).as(name).isEqualTo(array));
    }

    @Test
    void readsSlicesAlongAnyAxis() {
        Path file = folder.resolve("a.safetensors");
        try (Scope scope = Scope.open()) {
            Tensor cube = counting(4, 5, 6);
            TensorFile.write(file, Map.of("cube", cube), Map.of());
            TensorFile read = TensorFile.openVerified(file);
            for (int axis = 0; axis < 3; axis++) {
                Range rows = Range.between(1, 3);
                Tensor expected = cube.narrow(axis, 1, 2);
                Tensor whole = Tensor.zeros(Shape.of(4, 5, 6), DType.FLOAT64);
                read.read("cube", axis, rows, whole.narrow(axis, 1, 2)); // another type, with gaps
                assertThat(whole.narrow(axis, 1, 2).to(DType.FLOAT32).toArray()).isEqualTo(expected.toArray());
                assertThat(whole.sum().item()).isEqualTo(expected.sum().item());
            }
            assertThatThrownBy(() -> read.read("cube", 0, new Range(0, 2), cube))
                    .hasMessageContaining("received a tensor of [4, 5, 6]");
            assertThatThrownBy(() -> read.array("cub")).hasMessageContaining("cube");
        }
    }

    @Test
    void noticesEveryChange() throws IOException {
        Path file = folder.resolve("a.safetensors");
        try (Scope scope = Scope.open()) {
            TensorFile.write(file, Map.of("w", counting(3)), Map.of());
        }
        byte[] bytes = Files.readAllBytes(file);
        Path bad = folder.resolve("bad.safetensors");
        for (int length = 0; length < bytes.length; length++) {
            Files.write(bad, Arrays.copyOf(bytes, length));
            assertThatThrownBy(() -> TensorFile.open(bad)).isInstanceOf(CorruptFileException.class);
        }
        for (int at = 0; at < bytes.length; at++) {
            byte[] changed = bytes.clone();
            changed[at] ^= 1;
            Files.write(bad, changed);
            assertThatThrownBy(() -> TensorFile.openVerified(bad))
                    .as("byte " + at)
                    .isInstanceOf(CorruptFileException.class);
        }
        Files.write(bad, Arrays.copyOf(bytes, bytes.length + 1));
        assertThatThrownBy(() -> TensorFile.open(bad)).hasMessageContaining("goes on after the last array");
    }

    /** More elements than an array of the JVM has, in a file with holes: it takes no room on disk. */
    @Test
    void readsByElementBeyondWhatAnArrayHolds() throws IOException {
        long size = 3L << 30;
        String header = "{\"bytes\":{\"dtype\":\"U8\",\"shape\":[" + size + "],\"data_offsets\":[0," + size + "]}}";
        Path file = folder.resolve("large.safetensors");
        try (RandomAccessFile out = new RandomAccessFile(file.toFile(), "rw")) {
            out.writeLong(Long.reverseBytes(header.length()));
            out.write(header.getBytes(StandardCharsets.US_ASCII));
            long data = out.getFilePointer();
            out.setLength(data + size);
            out.seek(data + (1L << 30) - 1); // to both sides of where one mapped window ends
            out.write(new byte[] {5, 6, 7});
            out.seek(data + size - 1);
            out.write(9);
        }
        TensorFile large = TensorFile.open(file);
        try (Scope scope = Scope.open()) {
            Tensor some = Tensor.zeros(Shape.of(100), DType.UINT8);
            large.read("bytes", 0, new Range((1L << 30) - 50, 100), some);
            assertThat(some.toArray().bytes()).containsSequence(0, 5, 6, 7, 0);
            Tensor last = Tensor.zeros(Shape.of(2), DType.UINT8);
            large.read("bytes", 0, new Range(size - 2, 2), last);
            assertThat(last.toArray().bytes()).containsExactly(0, 9);
        }
        assertThatThrownBy(() -> Safetensors.read(file)).hasMessageContaining("read it by TensorFile");
    }
}
