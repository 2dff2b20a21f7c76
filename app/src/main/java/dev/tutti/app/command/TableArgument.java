package dev.tutti.app.command;

import dev.tutti.app.UsageException;
import dev.tutti.app.input.InputException;
import dev.tutti.source.TableAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Where a table lies, as it is said on the command line: files, or an address of a database with some options. */
final class TableArgument {
    @Parameters(
            paramLabel = "TABLE",
            description =
                    "A file, folder or pattern of CSV, Parquet or JSON lines, also .gz or .zst; a folder of images;"
                            + " an address such as postgresql://host/db.")
    private String path;

    @Option(names = "--table", paramLabel = "NAME", description = "With a database: its table.")
    private String table;

    @Option(
            names = "--key",
            paramLabel = "COLUMN",
            description = "With a database: a column whose values all differ; the table's primary key by default.")
    private String key;

    @Option(names = "--user", paramLabel = "NAME", description = "With a database: its user.")
    private String user;

    @Option(
            names = "--password-variable",
            paramLabel = "NAME",
            description = "With a database: the environment variable that holds the password.")
    private String passwordVariable;

    String path() {
        return path;
    }

    /** Whether it is a folder that holds no table, and so perhaps images. */
    boolean isImages() {
        return !TableAddress.isDatabase(path)
                && Files.isDirectory(Path.of(path))
                && TableAddress.of(path).isEmpty();
    }

    TableAddress address() {
        if (!TableAddress.isDatabase(path)) {
            if (!path.matches(".*[*?\\[{].*") && !Files.exists(Path.of(path))) {
                throw new InputException(
                        path,
                        path.contains("://")
                                ? "is no address of a database: expected postgresql://host/db or jdbc:..."
                                : "there is no such file or folder");
            }
            return TableAddress.of(path)
                    .orElseThrow(() -> new InputException(
                            path, "is no table: expected CSV, Parquet, JSON lines or a folder of images"));
        }
        if (table == null) {
            throw new UsageException("a database needs --table, the name of its table");
        }
        return TableAddress.database(path, table, key, user, passwordVariable);
    }
}
