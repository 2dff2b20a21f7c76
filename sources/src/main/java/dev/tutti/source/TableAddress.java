package dev.tutti.source;

import dev.tutti.source.jdbc.JdbcSource;
import dev.tutti.source.profile.JobDraft;
import dev.tutti.source.table.TableSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Where a table lies, as people say it, and the source that reads it.
 *
 * @param name a name for what is made from it
 * @param yaml the source as YAML on one line, for a job file
 */
public record TableAddress(String name, String yaml, TableSource source) {
    static final String KNOWN =
            "a file, folder or pattern of .csv, .tsv, .txt, .parquet, .jsonl or .ndjson (also .gz or .zst)";

    /** The table that is meant by a file, folder or pattern, if it is one. */
    public static Optional<TableAddress> of(String said) {
        Path path = said.matches(".*[*?\\[{].*") ? null : Path.of(said);
        Optional<String> type = path != null && Files.isDirectory(path) ? inside(path) : type(said);
        return type.map(known -> new TableAddress(
                name(said), "{type: " + known + ", files: " + JobDraft.quoted(said) + "}", source(known, said)));
    }

    /** Whether an address is one of a database. */
    public static boolean isDatabase(String said) {
        return said.startsWith("jdbc:") || said.startsWith("postgresql://") || said.startsWith("postgres://");
    }

    /**
     * A table of a database.
     *
     * @param user may be null
     * @param passwordVariable the environment variable that holds the password; may be null
     */
    public static TableAddress database(String said, String table, String key, String user, String passwordVariable) {
        String url = said.startsWith("jdbc:") ? said : "jdbc:" + said.replaceFirst("^postgres(ql)?:", "postgresql:");
        String yaml = "{type: jdbc, url: " + JobDraft.quoted(url) + ", table: " + JobDraft.quoted(table) + ", key: "
                + JobDraft.quoted(key) + (user == null ? "" : ", user: " + JobDraft.quoted(user))
                + (passwordVariable == null ? "" : ", passwordVariable: " + JobDraft.quoted(passwordVariable)) + "}";
        JdbcSource source = JdbcSource.table(url, table, key);
        return new TableAddress(
                table.replaceAll("\\W+", "-"), yaml, user == null ? source : source.user(user, passwordVariable));
    }

    private static Optional<String> inside(Path folder) {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(Path::toString)
                    .sorted()
                    .map(TableAddress::type)
                    .flatMap(Optional::stream)
                    .findFirst();
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private static Optional<String> type(String name) {
        String plain = name.toLowerCase(Locale.ROOT).replaceFirst("\\.(gz|zst)$", "");
        if (plain.endsWith(".csv") || plain.endsWith(".tsv") || plain.endsWith(".txt")) {
            return Optional.of("csv");
        }
        if (plain.endsWith(".parquet")) {
            return Optional.of("parquet");
        }
        return plain.endsWith(".jsonl") || plain.endsWith(".ndjson") ? Optional.of("jsonLines") : Optional.empty();
    }

    private static TableSource source(String type, String path) {
        return switch (type) {
            case "csv" -> Sources.csv(path);
            case "parquet" -> Sources.parquet(path);
            default -> Sources.jsonLines(path);
        };
    }

    /** The file's name without endings. */
    static String name(String path) {
        List<String> parts = List.of(path.replaceFirst("/+$", "").split("/"));
        String last = parts.get(parts.size() - 1).replaceAll("[*?\\[\\]{}]", "");
        String plain = last.replaceFirst("^\\W+", "").replaceFirst("\\..*", "");
        return plain.isEmpty() ? "table" : plain;
    }
}
