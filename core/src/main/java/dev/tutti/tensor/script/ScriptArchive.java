package dev.tutti.tensor.script;

import com.sun.jna.Function;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Platform;
import dev.tutti.FileKind;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import java.util.zip.CRC32;
import java.util.zip.CheckedInputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipFile;

/**
 * TorchScript files, as far as they can be handled without the engine: what is in them, and how they reach the disk.
 *
 * <p>The engine ends the whole process when the disk it writes to is full, so it writes to memory and Java writes to the disk.
 */
final class ScriptArchive {
    private static final int CLOSE_ON_EXEC = 1;

    private ScriptArchive() {}

    /** Says what is wrong with a file that is not a TorchScript archive; Python's several formats all end in {@code .pt}. */
    static void check(Path file) {
        if (!Files.exists(file)) {
            throw new ScriptException(file + ": there is no such file");
        }
        if (!Files.isRegularFile(file)) {
            throw new ScriptException(file + ": expected a TorchScript file, found a folder");
        }
        try {
            byte[] start = start(file);
            if (start.length < 4 || start[0] != 'P' || start[1] != 'K') {
                boolean pickle = start.length > 1 && start[0] == (byte) 0x80;
                throw new ScriptException(file + ": is not a TorchScript file" + (pickle ? pickled() : ""));
            }
            checkEntries(file);
        } catch (ZipException e) {
            throw new ScriptException(
                    file + ": the TorchScript file is damaged or was cut short (" + e.getMessage() + ")", e);
        } catch (IOException e) {
            throw new ScriptException(file + ": cannot be read: " + e.getMessage(), e);
        }
    }

    private static byte[] start(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(FileKind.require(file))) {
            return in.readNBytes(4);
        }
    }

    private static void checkEntries(Path file) throws IOException {
        try (ZipFile zip = new ZipFile(file.toFile())) {
            List<String> names = zip.stream().map(ZipEntry::getName).toList();
            if (names.stream().noneMatch(name -> name.endsWith("/constants.pkl"))) {
                boolean saved = names.stream().anyMatch(name -> name.endsWith("/data.pkl"));
                throw new ScriptException(file + ": is not a TorchScript file" + (saved ? pickled() : ""));
            }
            for (ZipEntry entry : Collections.list(zip.entries())) {
                checkContent(zip, entry);
            }
        }
    }

    /** The engine does not look at the checksums, so a flipped bit would become a wrong weight. */
    private static void checkContent(ZipFile zip, ZipEntry entry) throws IOException {
        try (CheckedInputStream in = new CheckedInputStream(zip.getInputStream(entry), new CRC32())) {
            in.transferTo(OutputStream.nullOutputStream());
            if (in.getChecksum().getValue() != entry.getCrc()) {
                throw new ZipException("wrong checksum of " + entry.getName());
            }
        }
    }

    private static String pickled() {
        return " but values pickled by torch.save, without the code that uses them: in Python, save the model with "
                + "torch.jit.script(model).save(\"model.pt\")";
    }

    /** Lets the engine write a file of about the given size, and hands on its content. */
    static void transfer(Consumer<String> engine, long bytes, OutputStream out) throws IOException {
        if (Platform.isLinux()) {
            throughMemory(engine, out);
        } else {
            throughDisk(engine, bytes, out);
        }
    }

    private static void throughMemory(Consumer<String> engine, OutputStream out) throws IOException {
        NativeLibrary c = NativeLibrary.getInstance("c");
        int descriptor = c.getFunction("memfd_create").invokeInt(new Object[] {"torchscript", CLOSE_ON_EXEC});
        if (descriptor < 0) {
            throw new IOException("the system gave no file in memory");
        }
        Function close = c.getFunction("close");
        try {
            Path memory = Path.of("/proc/self/fd/" + descriptor);
            engine.accept(memory.toString());
            Files.copy(memory, out);
        } finally {
            close.invokeInt(new Object[] {descriptor});
        }
    }

    private static void throughDisk(Consumer<String> engine, long bytes, OutputStream out) throws IOException {
        Path temporary = Files.createTempFile("tutti", ".pt");
        try {
            long free = Files.getFileStore(temporary).getUsableSpace();
            if (free < 2 * bytes + (16 << 20)) {
                throw new IOException(
                        "too little room for a temporary file beside " + temporary + ": " + free + " bytes");
            }
            engine.accept(temporary.toString());
            Files.copy(temporary, out);
        } finally {
            Files.delete(temporary);
        }
    }
}
