package dev.tutti.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.tutti.array.NdArray;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@EnabledOnOs(OS.LINUX)
class DiskFullTest {
    private static final Safetensors TWO_MEGABYTES =
            Safetensors.of(Map.of("w", NdArray.of(new float[500_000], 500_000)));

    @TempDir
    Path folder;

    @Test
    void theMessageSaysWhatIsNeededAndWhatIsFree() throws Exception {
        try (TestingSmallDisk disk = TestingSmallDisk.at(folder)) {
            Path file = disk.folder().resolve("model.safetensors");
            AtomicFile.write(file, new byte[200_000]);
            DiskFullException e =
                    catchThrowableOfType(DiskFullException.class, () -> TWO_MEGABYTES.writeWithChecksum(file));
            assertThat(e)
                    .hasMessageStartingWith(file + ": the disk is full: at least 2.0 MB are needed and 84")
                    .hasMessageEndingWith(" kB are free. Make room or choose another place; nothing was changed");
            assertThat(e.needed()).isGreaterThan(2_000_000);
            assertThat(e.free()).isBetween(800_000L, 860_000L);
            assertThat(Files.readAllBytes(file)).as("the old content").isEqualTo(new byte[200_000]);
            assertThat(disk.folder()).isDirectoryNotContaining(Temporary::is);
        }
    }

    @Test
    void aFolderThatDoesNotFitLeavesTheOldOne() throws Exception {
        try (TestingSmallDisk disk = TestingSmallDisk.at(folder)) {
            Path model = disk.folder().resolve("model");
            AtomicFolder.write(model, path -> Files.writeString(path.resolve("notes"), "old"));
            assertThatThrownBy(() -> AtomicFolder.write(model, path -> {
                        Files.write(path.resolve("notes"), new byte[300_000]);
                        TWO_MEGABYTES.write(path.resolve("weights"));
                    }))
                    .isInstanceOf(DiskFullException.class)
                    .hasMessageStartingWith(
                            model + ": the disk is full: at least 2.3 MB are needed and 1.0 MB are free");
            assertThatThrownBy(() ->
                            AtomicFolder.write(model, path -> Files.write(path.resolve("w"), new byte[3_000_000])))
                    .isInstanceOf(DiskFullException.class);
            assertThat(model.resolve("notes")).hasContent("old");
            assertThat(disk.folder()).isDirectoryNotContaining(Temporary::is);
        }
    }

    @Test
    void anEventFileStaysReadable() throws Exception {
        try (TestingSmallDisk disk = TestingSmallDisk.at(folder)) {
            try (EventWriter events = EventWriter.open(disk.folder())) {
                events.scalar("loss", 1, 0.5);
                String large = "x".repeat(2_000_000);
                assertThatThrownBy(() -> events.text("notes", 2, large))
                        .isInstanceOf(DiskFullException.class)
                        .hasMessageStartingWith(events.file() + ": the disk is full");
                events.scalar("loss", 3, 0.25);
                assertThat(TestingEventReader.read(events.file()))
                        .extracting(TestingEventReader.Event::step)
                        .containsExactly(0L, 1L, 3L);
            }
        }
    }

    /** Without root: the device that is always full. */
    @Test
    void aFullDeviceIsTold() {
        Path file = folder.resolve("file");
        AtomicFile.write(file, "old");
        assertThatThrownBy(() -> AtomicFile.write(file, 12_345, out -> {
                    try (OutputStream full = Files.newOutputStream(Path.of("/dev/full"))) {
                        full.write(1);
                    }
                }))
                .isInstanceOf(DiskFullException.class)
                .hasMessageStartingWith(file + ": the disk is full: at least 12.3 kB are needed and ");
        assertThat(file).hasContent("old");
        assertThat(folder).isDirectoryNotContaining(Temporary::is);
    }
}
