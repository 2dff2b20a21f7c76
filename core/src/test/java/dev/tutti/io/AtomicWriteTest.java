package dev.tutti.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AtomicWriteTest {
    @TempDir
    Path folder;

    @Test
    void aFileIsMadeWithItsFoldersAndReplaced() throws IOException {
        Path file = folder.resolve("a/b/file");
        AtomicFile.write(file, "first");
        AtomicFile.write(file, "second, and longer");
        AtomicFile.write(file, out -> {
            out.write("third".getBytes(StandardCharsets.UTF_8));
            out.close(); // as writers of JSON do
        });
        assertThat(file).hasContent("third");
        assertThat(names(file.getParent())).containsExactly("file");
    }

    @Test
    void aFailureInTheMiddleKeepsTheOldFileAndLeavesNothingElse() throws IOException {
        Path file = folder.resolve("file");
        AtomicFile.write(file, "old");
        assertThatThrownBy(() -> AtomicFile.write(file, out -> {
                    out.write(new byte[100_000]);
                    assertThat(names(folder)).hasSize(2).anyMatch(name -> Temporary.is(Path.of(name)));
                    throw new IllegalStateException("half way");
                }))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("half way");
        assertThatThrownBy(() -> AtomicFile.write(file, out -> {
                    throw new IOException("the cable is out");
                }))
                .isInstanceOf(FileException.class)
                .hasMessage(file + ": cannot be written: the cable is out");
        assertThat(file).hasContent("old");
        assertThat(names(folder)).containsExactly("file");
    }

    @Test
    void filesAndFoldersAreNotMistakenForEachOther() throws IOException {
        Path file = Files.createFile(folder.resolve("file"));
        Path inner = Files.createDirectory(folder.resolve("inner"));
        assertThatThrownBy(() -> AtomicFile.write(inner, "x"))
                .isInstanceOf(FileException.class)
                .hasMessage(inner + ": is a folder, so it cannot be written as a file");
        assertThatThrownBy(() -> AtomicFolder.write(file, path -> {}))
                .isInstanceOf(FileException.class)
                .hasMessage(file + ": is a file, so it cannot be written as a folder");
        assertThatThrownBy(() -> AtomicFile.write(file.resolve("below"), "x"))
                .isInstanceOf(FileException.class)
                .hasMessageStartingWith(file.resolve("below") + ": cannot be written: ");
    }

    @Test
    void aFolderIsMadeWholeAndReplacedWhole() throws IOException {
        Path target = folder.resolve("a/model");
        AtomicFolder.write(target, path -> {
            Files.createDirectory(path.resolve("inner"));
            Files.writeString(path.resolve("inner/one"), "1");
            assertThat(target).doesNotExist();
        });
        assertThat(target.resolve("inner/one")).hasContent("1");
        AtomicFolder.write(target, path -> AtomicFile.write(path.resolve("two"), "2"));
        assertThat(names(target)).containsExactly("two");
        assertThat(names(target.getParent())).containsExactly("model");
    }

    @Test
    void aFailureInTheMiddleKeepsTheOldFolder() throws IOException {
        Path target = folder.resolve("model");
        AtomicFolder.write(target, path -> Files.writeString(path.resolve("one"), "old"));
        assertThatThrownBy(() -> AtomicFolder.write(target, path -> {
                    Files.writeString(path.resolve("one"), "new");
                    throw new IOException("the cable is out");
                }))
                .isInstanceOf(FileException.class)
                .hasMessage(target + ": cannot be written: the cable is out");
        assertThat(target.resolve("one")).hasContent("old");
        assertThat(names(folder)).containsExactly("model");
    }

    @Test
    void aFolderSetAsideByAKilledWriterIsReadAndComesBack() throws IOException {
        Path target = folder.resolve("model");
        AtomicFolder.write(target, path -> Files.writeString(path.resolve("one"), "old"));
        assertThat(AtomicFolder.readable(target)).isEqualTo(target);
        Files.move(target, folder.resolve(".model.old")); // killed between the two renames
        assertThat(AtomicFolder.readable(target).resolve("one")).hasContent("old");
        assertThatThrownBy(() -> AtomicFolder.write(target, path -> {
                    throw new IllegalStateException("killed again");
                }))
                .isInstanceOf(IllegalStateException.class);
        assertThat(target.resolve("one")).hasContent("old");

        Files.createDirectory(folder.resolve(".model.old")); // killed before the old one was removed
        AtomicFolder.write(target, path -> Files.writeString(path.resolve("one"), "new"));
        assertThat(target.resolve("one")).hasContent("new");
        assertThat(names(folder)).containsExactly("model");
    }

    @Test
    void whatKilledWritersLeftIsSweptAndNothingElse() throws IOException {
        Path left = Temporary.beside(folder.resolve("checkpoint"));
        Files.createDirectories(left.resolve("inner"));
        Files.writeString(left.resolve("inner/weights"), "half");
        Files.createFile(Temporary.beside(folder.resolve("file")));
        Files.createFile(folder.resolve("mine.tmp"));
        Files.createFile(folder.resolve(".hidden"));
        Temporary.sweep(folder);
        Temporary.sweep(folder.resolve("not there"));
        assertThat(names(folder)).containsExactly(".hidden", "mine.tmp");
    }

    @Test
    void checksumsAreThoseOfEveryOtherTool() throws IOException {
        String ofAbc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assertThat(Checksum.sha256("abc".getBytes(StandardCharsets.UTF_8))).isEqualTo(ofAbc);
        Path file = Files.writeString(folder.resolve("abc"), "abc");
        assertThat(Checksum.sha256(file)).isEqualTo(ofAbc);
        assertThatThrownBy(() -> Checksum.sha256(folder.resolve("none")))
                .isInstanceOf(FileException.class)
                .hasMessageEndingWith("none: there is no such file");
    }

    private static List<String> names(Path folder) throws IOException {
        try (Stream<Path> paths = Files.list(folder)) {
            return paths.map(path -> path.getFileName().toString()).sorted().toList();
        }
    }
}
