package dev.tutti.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.array.NdArray;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SafetensorsTest {
    @TempDir
    Path folder;

    @Test
    void everyTypeComesBackInOrder() throws IOException {
        Safetensors written = everyType();
        Path file = folder.resolve("deep/er/model.safetensors");
        written.write(file);
        Safetensors read = Safetensors.read(file);
        assertThat(read).isEqualTo(written);
        assertThat(read.tensors().keySet())
                .containsExactlyElementsOf(written.tensors().keySet());
        assertThat(read.metadata().keySet()).containsExactly("second", "first");

        ByteArrayOutputStream out = new ByteArrayOutputStream();
        written.write(out);
        assertThat(out.toByteArray()).isEqualTo(Files.readAllBytes(file));
        assertThat(Safetensors.read(new ByteArrayInputStream(out.toByteArray()), "stream"))
                .isEqualTo(written);
    }

    @Test
    void arraysAreAlignedForReadersThatMapTheFile() throws IOException {
        Path file = folder.resolve("aligned");
        everyType().write(file);
        byte[] bytes = Files.readAllBytes(file);
        int header = (int) ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getLong();
        assertThat(header % 8).isZero();
        SafetensorsHeader parsed = SafetensorsHeader.parse(Arrays.copyOfRange(bytes, 8, 8 + header), "aligned");
        assertThat(parsed.entries())
                .allSatisfy(entry ->
                        assertThat(entry.begin() % entry.type().bytes()).isZero());
    }

    @Test
    void anArrayLargerThanTheBufferComesBack() {
        float[] floats = new float[300_007];
        long[] longs = new Random(1).longs(100_003).toArray();
        for (int i = 0; i < floats.length; i++) {
            floats[i] = i * 0.5f;
        }
        Safetensors large =
                Safetensors.of(Map.of("a", NdArray.of(floats, floats.length), "b", NdArray.of(longs, longs.length)));
        Path file = folder.resolve("large");
        large.writeWithChecksum(file);
        assertThat(Safetensors.readVerified(file)).isEqualTo(large);
    }

    @Test
    void noArraysAtAllIsAFileToo() {
        Path file = folder.resolve("none");
        Safetensors.of(Map.of()).write(file);
        assertThat(Safetensors.read(file).tensors()).isEmpty();
    }

    /** Made by src/test/golden/safetensors_golden.py. */
    @Test
    void readsWhatPythonWrote() throws IOException {
        Safetensors read;
        try (InputStream in = SafetensorsTest.class.getResourceAsStream("python.safetensors")) {
            read = Safetensors.read(in, "python.safetensors");
        }
        assertThat(read.metadata()).containsOnly(Map.entry("made", "by Python"), Map.entry("quote", "a \"word\""));
        float infinity = Float.POSITIVE_INFINITY;
        Map<String, NdArray> expected = new LinkedHashMap<>();
        expected.put("dense1.weight", NdArray.of(new float[] {0.5f, -1.25f, 3e38f, 1e-40f, 0, -0f}, 2, 3));
        expected.put("doubles", NdArray.of(new double[] {1 / 3.0, -2e300}, 2));
        expected.put("longs", NdArray.of(new long[] {1L << 62, -1}, 1, 2));
        expected.put("ints", NdArray.of(new int[] {7, Integer.MIN_VALUE}, 2));
        expected.put("bytes", NdArray.of(new byte[] {0, 127, -128, -1}, 4));
        expected.put("flags", NdArray.of(new boolean[] {true, false, true}, 3));
        expected.put("half", NdArray.of(new float[] {1.5f, -65504, 0x1p-24f, infinity, 0.33325195f}, 5));
        expected.put("brain", NdArray.of(new float[] {1.5f, -3.0040553e38f, 0x1p-133f, -infinity}, 4));
        expected.put("scalar", NdArray.of(new float[] {42}));
        expected.put("empty", NdArray.of(new float[0], 0, 3));
        expected.put("größe", NdArray.of(new float[] {1}, 1));
        assertThat(read.tensors()).containsExactlyInAnyOrderEntriesOf(expected);
    }

    @Test
    void everyCutAndEveryChangedByteIsNoticed() throws IOException {
        Safetensors small = Safetensors.of(Map.of("w", NdArray.of(new float[] {1, 2, 3}, 3)))
                .with("step", "7");
        Path file = folder.resolve("small");
        small.writeWithChecksum(file);
        byte[] good = Files.readAllBytes(file);
        assertThat(Safetensors.readVerified(file)).isEqualTo(small);
        assertThat(Safetensors.read(file)).isEqualTo(small);

        Path bad = folder.resolve("bad");
        for (int length = 0; length < good.length; length++) {
            Files.write(bad, Arrays.copyOf(good, length));
            assertThatThrownBy(() -> Safetensors.readVerified(bad)).isInstanceOf(CorruptFileException.class);
            assertThatThrownBy(() -> Safetensors.read(bad)).isInstanceOf(CorruptFileException.class);
        }
        Files.write(bad, Arrays.copyOf(good, good.length + 1));
        assertThatThrownBy(() -> Safetensors.readVerified(bad)).isInstanceOf(CorruptFileException.class);
        for (int at = 0; at < good.length; at++) {
            for (int bit = 0; bit < 8; bit++) {
                byte[] changed = good.clone();
                changed[at] ^= (byte) (1 << bit);
                Files.write(bad, changed);
                assertThatThrownBy(() -> Safetensors.readVerified(bad))
                        .as("bit %d of byte %d", bit, at)
                        .isInstanceOf(CorruptFileException.class)
                        .hasMessageStartingWith(bad + ": ");
            }
        }
    }

    @Test
    void withoutAChecksumNothingIsVerified() {
        Path file = folder.resolve("plain");
        everyType().write(file);
        assertThatThrownBy(() -> Safetensors.readVerified(file))
                .isInstanceOf(CorruptFileException.class)
                .hasMessage(file + ": carries no checksum, so its bytes cannot be verified");
    }

    @Test
    void aHeaderThatIsTooLongOrNoLengthAtAllIsRefused() {
        assertRefused(new byte[] {1, 2, 3}, "is cut short: a safetensors file begins with 8 bytes");
        assertRefused("PK\3\4 some other file".getBytes(StandardCharsets.US_ASCII), "is no safetensors file");
        assertRefused(file(900, "{}", 0), "is cut short: expected at least 908 bytes, received 10");
        assertRefused(file(-1, "{}", 0), "is no safetensors file: its header would have 18446744073709551615 bytes");
        assertRefused(file(2, "[]", 0), "the safetensors header is no JSON object");
        assertRefused(file(2, "{a", 0), "the safetensors header is no JSON");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "{'w':{'dtype':'F31','shape':[1],'data_offsets':[0,4]}} | the array 'w' has the type 'F31': expected"
                        + " one of F32",
                "{'w':{'shape':[1],'data_offsets':[0,4]}} | the array 'w' has the type ''",
                "{'w':{'dtype':'F32','shape':[2],'data_offsets':[0,4]}} | shape [2] takes 8 bytes, but its"
                        + " data_offsets hold 4",
                "{'w':{'dtype':'F32','shape':[-1],'data_offsets':[0,4]}} | the array 'w' has no valid shape: [-1]",
                "{'w':{'dtype':'F32','shape':[1.5],'data_offsets':[0,4]}} | the array 'w' has no valid shape: [1.5]",
                "{'w':{'dtype':'F32','shape':4,'data_offsets':[0,4]}} | the array 'w' has no valid shape: 4",
                "{'w':{'dtype':'F32','shape':[4294967296,4294967296],'data_offsets':[0,4]}} | has an impossible shape",
                "{'w':{'dtype':'F32','shape':[1],'data_offsets':[4,0]}} | has no valid data_offsets: [4,0]",
                "{'w':{'dtype':'F32','shape':[1],'data_offsets':[0]}} | has no valid data_offsets: [0]",
                "{'w':{'dtype':'F32','shape':[1],'data_offsets':[0,4]},"
                        + "'v':{'dtype':'U8','shape':[2],'data_offsets':[2,4]}}"
                        + " | the array 'v' begins at byte 2, inside the one before it: expected 4",
                "{'w':{'dtype':'U8','shape':[1],'data_offsets':[3,4]}} | begins at byte 3, behind a gap: expected 0",
                "{'w':{'dtype':'U8','shape':[9],'data_offsets':[0,9]}} | is cut short",
                "{'w':{'dtype':'U8','shape':[3],'data_offsets':[0,3]}} | goes on after the last array",
                "{'w':{'dtype':'U8','shape':[4],'data_offsets':[0,4]},'w':{}} | the safetensors header is no JSON:"
                        + " Duplicate",
                "{'__metadata__':{'a':1},'w':{'dtype':'U8','shape':[4],'data_offsets':[0,4]}} | the metadata 'a' is no"
                        + " text",
                "{'__metadata__':[],'w':{'dtype':'U8','shape':[4],'data_offsets':[0,4]}} | the metadata is no JSON"
                        + " object",
            })
    void aHeaderThatDoesNotFitIsRefused(String header, String message) {
        String json = header.replace('\'', '"');
        assertRefused(file(json.length(), json, 4), message);
    }

    @ParameterizedTest
    @ValueSource(strings = {"no.safetensors", "."})
    void aFileThatCannotBeReadIsNamed(String name) {
        Path file = folder.resolve(name);
        assertThatThrownBy(() -> Safetensors.read(file))
                .isInstanceOf(FileException.class)
                .hasMessageStartingWith(file + ": ");
    }

    @Test
    void namesThatWouldBreakTheFileAreRefused() {
        assertThatThrownBy(() -> Safetensors.of(Map.of("__metadata__", NdArray.of(new float[1], 1))))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Safetensors.of(Map.of()).with("tutti.sha256", "x"))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> everyType().tensor("dense1.wieght"))
                .hasMessage("there is no array 'dense1.wieght': did you mean 'dense1.weight'?");
    }

    /** Both as a file and as a stream, whose length is not known before. */
    private void assertRefused(byte[] content, String message) {
        Path file = folder.resolve("refused");
        AtomicFile.write(file, content);
        assertThatThrownBy(() -> Safetensors.read(file))
                .isInstanceOf(CorruptFileException.class)
                .hasMessageStartingWith(file + ": ")
                .hasMessageContaining(message);
        assertThatThrownBy(() -> Safetensors.read(new ByteArrayInputStream(content), "a stream"))
                .isInstanceOf(CorruptFileException.class)
                .hasMessageStartingWith("a stream: ");
    }

    private static byte[] file(long headerLength, String header, int dataBytes) {
        byte[] json = header.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(8 + json.length + dataBytes)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(headerLength)
                .put(json)
                .array();
    }

    static Safetensors everyType() {
        Map<String, NdArray> arrays = new LinkedHashMap<>();
        arrays.put("flags", NdArray.of(new boolean[] {true, false, true}, 3));
        arrays.put("dense1.weight", NdArray.of(new float[] {1, -2, Float.NaN, Float.MIN_VALUE, 5, -0f}, 2, 3));
        arrays.put("bytes", NdArray.of(new byte[] {0, 1, -1}, 3, 1));
        arrays.put("longs", NdArray.of(new long[] {Long.MIN_VALUE, 5}, 2));
        arrays.put("ints", NdArray.of(new int[] {1, 2, -3}, 3));
        arrays.put("doubles", NdArray.of(new double[] {Math.PI}, 1, 1, 1));
        arrays.put("scalar", NdArray.of(new float[] {9}));
        arrays.put("empty", NdArray.of(new float[0], 0, 4));
        arrays.put("a \"quoted\" größe", NdArray.of(new float[] {3}, 1));
        return Safetensors.of(arrays).with("second", "2 \"quoted\"\n").with("first", "größe");
    }
}
