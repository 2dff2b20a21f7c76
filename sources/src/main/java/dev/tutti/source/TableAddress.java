package dev.tutti.source;

import dev.tutti.data.DataException;
import dev.tutti.source.jdbc.JdbcSource;
import dev.tutti.source.profile.JobDraft;
import dev.tutti.source.table.TableSource;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
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

    private static final Pattern USER = Pattern.compile("((?:jdbc:)?postgres(?:ql)?://)([^:@/]+)(:[^@/]*)?@(.*)");

    /** The table that is meant by a file, folder or pattern, if it is one. */
    public static Optional<TableAddress> of(String said) {
        Path path = said.matches(".*[*?\\[{].*") ? null : Path.of(said);
        Optional<String> type = path != null && Files.isDirectory(path) ? inside(path) : type(said);
        if (path != null && Files.isRegularFile(path) && said.endsWith(".txt") && isTabbed(path)) {
            boolean header = hasNames(path);
            return Optional.of(new TableAddress(
                    name(said),
                    "{type: csv, files: " + JobDraft.quoted(said) + ", delimiter: \"\\t\", quote: \"\", header: "
                            + header + "}",
                    Sources.csv(said).delimiter("\t").quote("").header(header)));
        }
        return type.map(known -> new TableAddress(
                name(said), "{type: " + known + ", files: " + JobDraft.quoted(said) + "}", source(known, said)));
    }

    /** Whether the first lines have the same number of tabs: text with labels, in which quotes are part of the text. */
    private static boolean isTabbed(Path path) {
        try (Stream<String> lines = Files.lines(path, StandardCharsets.ISO_8859_1)) {
            Set<Long> counts = lines.limit(100)
                    .map(line -> line.chars().filter(c -> c == '\t').count())
                    .collect(Collectors.toSet());
            return counts.size() == 1 && !counts.contains(0L);
        } catch (IOException e) {
            return false;
        }
    }

    /** Whether the first line of a file with tabs holds names; if not, columns are called column0, column1 and so on. */
    private static boolean hasNames(Path path) {
        try (Stream<String> lines = Files.lines(path, StandardCharsets.ISO_8859_1)) {
            String first = lines.findFirst().orElse("");
            return Stream.of(first.split("\t")).allMatch(name -> name.matches("[A-Za-z_]\\w{0,30}"));
        } catch (IOException e) {
            return false;
        }
    }

    /** Whether an address is one of a database. */
    public static boolean isDatabase(String said) {
        return said.startsWith("jdbc:") || said.startsWith("postgresql://") || said.startsWith("postgres://");
    }

    /**
     * A table of a database.
     *
     * @param said an address such as {@code postgresql://me@host/db} or a JDBC URL
     * @param key a column whose values all differ; null for the table's primary key
     * @param user may be null, or stand in the address
     * @param passwordVariable the environment variable that holds the password; may be null
     * @throws DataException if there is a password in the address: it would stand in the job file
     */
    public static TableAddress database(String said, String table, String key, String user, String passwordVariable) {
        Matcher known = USER.matcher(said);
        if (known.matches() && known.group(3) != null) {
            throw new DataException("the address " + said.replace(known.group(3), ":...")
                    + " holds a password, which would be written into the job file: leave it out, put it into an"
                    + " environment variable and name that with --password-variable");
        }
        String plain = known.matches() ? known.group(1) + known.group(4) : said;
        String name = user == null && known.matches() ? known.group(2) : user;
        String url = plain.startsWith("jdbc:") ? plain : "jdbc:" + plain.replaceFirst("^postgres(ql)?:", "postgresql:");
        String ordered = key == null ? JdbcSource.primaryKey(url, table, name, passwordVariable) : key;
        String yaml = "{type: jdbc, url: " + JobDraft.quoted(url) + ", table: " + JobDraft.quoted(table) + ", key: "
                + JobDraft.quoted(ordered) + (name == null ? "" : ", user: " + JobDraft.quoted(name))
                + (passwordVariable == null ? "" : ", passwordVariable: " + JobDraft.quoted(passwordVariable)) + "}";
        JdbcSource source = JdbcSource.table(url, table, ordered);
        return new TableAddress(
                table.replaceAll("\\W+", "-"), yaml, name == null ? source : source.user(name, passwordVariable));
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
