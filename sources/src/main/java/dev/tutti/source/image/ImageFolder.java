package dev.tutti.source.image;

import dev.tutti.data.DataException;
import dev.tutti.data.stage.RowWorkers;
import dev.tutti.source.duckdb.CsvSource;
import dev.tutti.source.table.BadRowLog;
import dev.tutti.source.table.ColumnStore;
import dev.tutti.source.table.FileSet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.TreeSet;
import java.util.zip.CRC32C;

/** The images of a folder and the class of each: the folder it lies in, or what a CSV file says. */
final class ImageFolder {
    private static final List<String> ENDINGS = List.of(".png", ".jpg", ".jpeg", ".bmp", ".webp", ".tif", ".tiff");

    private final List<Path> files = new ArrayList<>();
    private final List<Integer> labels = new ArrayList<>();
    private final List<String> classes;

    private ImageFolder(List<String> classes) {
        this.classes = classes;
    }

    static ImageFolder open(Path folder, Optional<String> labelFile, List<String> given) {
        return labelFile.isPresent() ? listed(folder, labelFile.get(), given) : byFolder(folder, given);
    }

    private static ImageFolder byFolder(Path folder, List<String> given) {
        List<Path> files = FileSet.of(List.of(folder.toString()), ENDINGS).files();
        TreeSet<String> names = new TreeSet<>();
        for (Path file : files) {
            names.add(folderOf(folder, file));
        }
        boolean flat = names.size() == 1 && names.contains("");
        if (names.contains("") && !flat) {
            throw new DataException(folder + ": some images lie in no folder of a class: expected " + folder
                    + "/CLASS/image.png for all, or none");
        }
        ImageFolder found =
                new ImageFolder(!given.isEmpty() ? List.copyOf(given) : flat ? List.of() : List.copyOf(names));
        for (Path file : files) {
            String name = folderOf(folder, file);
            found.files.add(file);
            found.labels.add(flat ? -1 : found.idOf(name, file.toString()));
        }
        return found;
    }

    private static String folderOf(Path folder, Path file) {
        Path inside = folder.relativize(file);
        return inside.getNameCount() == 1 ? "" : inside.getName(0).toString();
    }

    private static ImageFolder listed(Path folder, String labelFile, List<String> given) {
        ColumnStore table = CsvSource.of(labelFile)
                .columns(List.of("file", "label"))
                .types(java.util.Map.of(
                        "file",
                        dev.tutti.source.table.ColumnType.TEXT,
                        "label",
                        dev.tutti.source.table.ColumnType.TEXT))
                .load()
                .store();
        var names = table.range(0, 0, table.rows());
        var labels = table.range(1, 0, table.rows());
        TreeSet<String> all = new TreeSet<>();
        for (int i = 0; i < table.rows(); i++) {
            labels.text(i).ifPresent(all::add);
        }
        ImageFolder found = new ImageFolder(given.isEmpty() ? List.copyOf(all) : List.copyOf(given));
        for (int i = 0; i < table.rows(); i++) {
            String row = labelFile + ", row " + (i + 1);
            Path file = folder.resolve(names.text(i).orElseThrow(() -> new DataException(row + ": has no file")));
            if (!Files.isRegularFile(file)) {
                throw new DataException(row + ": there is no file " + file);
            }
            found.files.add(file);
            found.labels.add(
                    found.idOf(labels.text(i).orElseThrow(() -> new DataException(row + ": has no label")), row));
        }
        return found;
    }

    private int idOf(String name, String where) {
        int id = classes.indexOf(name);
        if (id < 0) {
            throw new DataException(where + ": class '" + name + "' is none of " + classes);
        }
        return id;
    }

    /** The images that can be decoded; the others are given to the log, in their order. All are decoded once, on all cores. */
    ImageFolder readable(ImageDecoder decoder, BadRowLog bad) {
        String[] problems = new String[files.size()];
        ThreadLocal<float[]> pixels = ThreadLocal.withInitial(() -> new float[decoder.size()]);
        RowWorkers.make(problems.length, i -> {
            try {
                decoder.decode(files.get(i), pixels.get(), 0);
            } catch (DataException e) {
                problems[i] = e.getMessage();
            }
            return i;
        });
        ImageFolder good = new ImageFolder(classes);
        for (int i = 0; i < problems.length; i++) {
            String name = files.get(i).toString();
            if (problems[i] == null) {
                good.files.add(files.get(i));
                good.labels.add(labels.get(i));
            } else {
                String reason =
                        problems[i].startsWith(name + ": ") ? problems[i].substring(name.length() + 2) : problems[i];
                bad.add(name, reason, name);
            }
        }
        return good;
    }

    int size() {
        return files.size();
    }

    Path file(int number) {
        return files.get(number);
    }

    int label(int number) {
        return labels.get(number);
    }

    List<String> classes() {
        return classes;
    }

    /** Names, sizes and classes of all images. */
    String fingerprint() {
        CRC32C checksum = new CRC32C();
        for (int i = 0; i < files.size(); i++) {
            try {
                String entry = files.get(i).getFileName() + " " + Files.size(files.get(i)) + " " + labels.get(i);
                checksum.update(entry.getBytes(java.nio.charset.StandardCharsets.UTF_8));
            } catch (IOException e) {
                throw new DataException(files.get(i) + ": has vanished: " + e.getMessage(), e);
            }
        }
        return String.format(Locale.ROOT, "%,d images (checksum %08x)", files.size(), checksum.getValue());
    }
}
