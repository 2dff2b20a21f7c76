package dev.tutti.app;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A {@code ./tutti} command that a document shows, in a block of code or within a line.
 *
 * @param where the document and what it is in
 * @param line the whole line as printed, without its comment
 * @param arguments the words behind {@code ./tutti}, without brackets round what may be left out
 * @param block whether it is a line of a block of code, to be typed as it is
 */
record DocumentedCommand(String where, String line, List<String> arguments, boolean block) {
    private static final Pattern WORD = Pattern.compile("'[^']*'|\"[^\"]*\"|[^\\s'\"]+");

    @Override
    public String toString() {
        return where + ": " + line;
    }

    /** The commands of all documents below the root of the project. */
    static List<DocumentedCommand> all(Path root) throws IOException {
        List<DocumentedCommand> commands = new ArrayList<>();
        for (Path document : documents(root)) {
            commands.addAll(of(root.relativize(document).toString(), Files.readAllLines(document)));
        }
        return commands;
    }

    private static List<Path> documents(Path root) throws IOException {
        try (Stream<Path> top = Files.list(root);
                Stream<Path> docs = Files.walk(root.resolve("docs"));
                Stream<Path> others = Stream.of("examples", "bench", "sample")
                        .map(folder -> root.resolve(folder).resolve("README.md"))) {
            return Stream.of(top, docs, others)
                    .flatMap(files -> files)
                    .filter(file -> file.toString().endsWith(".md"))
                    .sorted()
                    .toList();
        }
    }

    static List<DocumentedCommand> of(String where, List<String> lines) {
        List<DocumentedCommand> commands = new ArrayList<>();
        boolean inBlock = false;
        for (String line : lines) {
            if (line.startsWith("```")) {
                inBlock = !inBlock;
            } else if (inBlock && line.matches("(.*\\| *)?\\./tutti .*")) {
                commands.add(of(where, line.replaceFirst("\\s+# .*", "").strip(), true));
            } else if (!inBlock) {
                Matcher inline = Pattern.compile("`(\\./tutti [^`]+)`").matcher(line);
                while (inline.find()) {
                    commands.add(of(where, inline.group(1), false));
                }
            }
        }
        return commands;
    }

    private static DocumentedCommand of(String where, String line, boolean block) {
        String command = line.replaceFirst("^.*\\./tutti ", "").replaceFirst("( >| &|\\|).*", "");
        List<String> arguments = new ArrayList<>();
        Matcher word = WORD.matcher(command.replaceAll("[\\[\\]]", ""));
        while (word.find()) {
            arguments.add(word.group().replaceAll("^['\"]|['\"]$", ""));
        }
        return new DocumentedCommand(where, line, arguments, block);
    }
}
