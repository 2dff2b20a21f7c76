package dev.tutti.io;

import dev.tutti.DidYouMean;
import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.array.Range;
import dev.tutti.array.Shape;
import dev.tutti.tensor.Device;
import dev.tutti.tensor.NativeMemory;
import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * Named tensors in a safetensors file of any size: written from the engine's memory, and read by slice from mapped memory, so that
 * neither goes through arrays of the JVM. {@link Safetensors} is the same for arrays, and reads and writes the same files.
 */
public final class TensorFile {
    private static final int BUFFER = 1 << 20;

    private final String name;
    private final MappedFile bytes;
    private final long dataAt;
    private final Map<String, SafetensorsHeader.Entry> entries = new LinkedHashMap<>();
    private final Map<String, String> metadata;
    private final String checksum;

    private TensorFile(Path file, boolean verify) {
        name = file.toString();
        byte[] header;
        try (InputStream in = Files.newInputStream(file)) {
            header = Safetensors.readHeader(in, name, Files.size(file));
            bytes = new MappedFile(file);
        } catch (IOException e) {
            throw FileException.cannotBeRead(name, e);
        }
        SafetensorsHeader parsed = SafetensorsHeader.parse(header, name);
        dataAt = (long) Long.BYTES + header.length;
        long expected = dataAt + parsed.dataBytes();
        if (bytes.size() < expected) {
            throw Safetensors.cutShort(name, expected, bytes.size());
        }
        if (bytes.size() > expected) {
            throw new CorruptFileException(name, "goes on after the last array: expected " + expected + " bytes");
        }
        parsed.entries().forEach(entry -> entries.put(entry.name(), entry));
        Map<String, String> notes = new LinkedHashMap<>(parsed.metadata());
        checksum = notes.getOrDefault(Safetensors.CHECKSUM, "");
        notes.remove(Safetensors.CHECKSUM);
        metadata = Collections.unmodifiableMap(notes);
        if (verify) {
            verify(header);
        }
    }

    private void verify(byte[] header) {
        MessageDigest digest = Checksum.newSha256();
        digest.update(Safetensors.lengthOf(header));
        digest.update(Safetensors.withoutChecksum(header, name));
        bytes.update(digest, dataAt, bytes.size() - dataAt);
        if (!Checksum.text(digest).equals(checksum)) {
            throw new CorruptFileException(
                    name, "its bytes are not those that were written: the checksum does not fit");
        }
    }

    /**
     * Opens a file; a checksum in it is not compared with its bytes.
     *
     * @throws CorruptFileException if it is cut short or no safetensors file
     */
    public static TensorFile open(Path file) {
        return new TensorFile(file, false);
    }

    /**
     * Opens a file that was written with a checksum, after reading all of it once: every byte is as it was written.
     *
     * @throws CorruptFileException if it is not, or carries no checksum
     */
    public static TensorFile openVerified(Path file) {
        return new TensorFile(file, true);
    }

    /**
     * Writes tensors, in any layout and on any device, with a checksum: the file is whole or not there at all.
     *
     * @return the checksum, which {@link #checksum} of the file gives as well
     */
    public static String write(Path file, Map<String, Tensor> tensors, Map<String, String> metadata) {
        Map<String, String> notes = new LinkedHashMap<>();
        notes.put(Safetensors.CHECKSUM, Safetensors.NO_CHECKSUM);
        notes.putAll(metadata);
        Map<String, SafetensorsHeader.Content> contents = new LinkedHashMap<>();
        tensors.forEach((key, tensor) ->
                contents.put(key, new SafetensorsHeader.Content(ElementType.of(tensor.type()), tensor.shape())));
        SafetensorsHeader header = SafetensorsHeader.layOutContents(contents, notes);
        byte[] head = header.toBytes();
        MessageDigest digest = Checksum.newSha256();
        try {
            write(new DigestOutputStream(OutputStream.nullOutputStream(), digest), header, head, tensors);
        } catch (IOException e) {
            throw new IllegalStateException("writing to nowhere never fails", e);
        }
        String checksum = Checksum.text(digest);
        System.arraycopy(
                checksum.getBytes(StandardCharsets.US_ASCII), 0, head, Safetensors.checksumAt(head), Checksum.DIGITS);
        AtomicFile.write(file, Long.BYTES + head.length + header.dataBytes(), out -> write(out, header, head, tensors));
        return checksum;
    }

    private static void write(OutputStream out, SafetensorsHeader header, byte[] head, Map<String, Tensor> tensors)
            throws IOException {
        out.write(Safetensors.lengthOf(head));
        out.write(head);
        byte[] buffer = new byte[BUFFER];
        for (SafetensorsHeader.Entry entry : header.inFileOrder()) {
            try (Scope scope = Scope.open()) {
                write(out, tensors.get(entry.name()), entry.end() - entry.begin(), buffer);
            }
        }
    }

    private static void write(OutputStream out, Tensor tensor, long count, byte[] buffer) throws IOException {
        if (count == 0) {
            return; // the engine has no memory to point to
        }
        Tensor here = tensor.device().equals(Device.CPU) ? tensor : tensor.to(Device.CPU);
        NativeMemory memory = NativeMemory.of(here.isContiguous() ? here : here.contiguous());
        for (long at = 0; at < count; at += buffer.length) {
            int length = (int) Math.min(buffer.length, count - at);
            memory.read(at, buffer, length);
            out.write(buffer, 0, length);
        }
    }

    /** The names of the tensors, in the order of the header. */
    public Set<String> names() {
        return Collections.unmodifiableSet(entries.keySet());
    }

    public Shape shape(String tensor) {
        return entry(tensor).shape();
    }

    /** The type a tensor has when it is read; half-precision types widen to float32. */
    public DType type(String tensor) {
        return entry(tensor).type().inMemory();
    }

    /** The notes, without the checksum. */
    public Map<String, String> metadata() {
        return metadata;
    }

    /** The checksum as the file states it; empty if it carries none. */
    public String checksum() {
        return checksum;
    }

    /** Bytes of the whole file. */
    public long bytes() {
        return bytes.size();
    }

    private SafetensorsHeader.Entry entry(String tensor) {
        SafetensorsHeader.Entry entry = entries.get(tensor);
        if (entry == null) {
            throw new FileException(name, "has no tensor '" + tensor + "'" + DidYouMean.hint(tensor, entries.keySet()));
        }
        return entry;
    }

    /**
     * Reads the indices of a range along an axis of a tensor.
     *
     * @param into has the shape of the slice, and any type, layout and device
     */
    public void read(String tensor, int axis, Range rows, Tensor into) {
        SafetensorsHeader.Entry entry = entry(tensor);
        Shape shape = entry.shape().rank() == 0 ? entry.shape() : entry.shape().with(axis, rows.length());
        if (!into.shape().equals(shape)) {
            throw new IllegalArgumentException("the slice " + rows + " along axis " + axis + " of " + tensor + " has "
                    + shape + ": received a tensor of " + into.shape());
        }
        if (shape.size() == 0) {
            return;
        }
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            boolean direct = into.isContiguous()
                    && into.device().equals(Device.CPU)
                    && into.type() == entry.type().inTensors();
            Tensor target = direct ? into : Tensor.empty(shape, entry.type().inTensors());
            copy(entry, axis, rows, NativeMemory.of(target));
            if (!direct) {
                into.copy_(target);
            }
        }
    }

    private void copy(SafetensorsHeader.Entry entry, int axis, Range rows, NativeMemory into) {
        long outer = 1;
        long inner = entry.type().bytes();
        long length = 1;
        for (int i = 0; i < entry.shape().rank(); i++) {
            long dim = entry.shape().dim(i);
            outer *= i < axis ? dim : 1;
            inner *= i > axis ? dim : 1;
            length = i == axis ? dim : length;
        }
        long count = rows.length() * inner;
        for (long block = 0; block < outer; block++) {
            long from = dataAt + entry.begin() + (block * length + rows.from()) * inner;
            bytes.copy(from, into, block * count, count);
        }
    }

    /** A whole tensor, which belongs to the open scope. */
    public Tensor tensor(String tensor) {
        SafetensorsHeader.Entry entry = entry(tensor);
        Tensor out = Tensor.empty(entry.shape(), entry.type().inMemory());
        Range all = new Range(0, entry.shape().rank() == 0 ? 1 : entry.shape().dim(0));
        read(tensor, 0, all, out);
        return out;
    }

    /** A whole tensor as an array of the JVM. */
    public NdArray array(String tensor) {
        try (Scope scope = Scope.open()) {
            return tensor(tensor).toArray();
        }
    }
}
