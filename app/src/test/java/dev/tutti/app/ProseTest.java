package dev.tutti.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Documents and comments name the one who acts: the caller, a member, the coordinator. */
class ProseTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Pattern NO_ONE_IN_PARTICULAR =
            Pattern.compile("\\b(somebody|nobody|anybody|whoever)\\b", Pattern.CASE_INSENSITIVE);
    private static final Pattern COMMENT = Pattern.compile("^\\s*(/\\*\\*|\\*|//).*");

    @Test
    void sentencesHaveASubject() throws IOException {
        List<String> found = new ArrayList<>();
        try (Stream<Path> files = Files.walk(ROOT)) {
            files.filter(ProseTest::isRead).forEach(file -> addLines(file, found));
        }
        assertThat(found).isEmpty();
    }

    private static boolean isRead(Path file) {
        String path = ROOT.relativize(file).toString();
        boolean ours = !path.contains("target/") && !path.startsWith(".") && !path.startsWith("bench/results");
        return ours && (path.contains("src/main/java") && path.endsWith(".java") || path.endsWith(".md"));
    }

    private static void addLines(Path file, List<String> found) {
        try {
            for (String line : Files.readAllLines(file)) {
                boolean prose =
                        file.toString().endsWith(".md") || COMMENT.matcher(line).matches();
                if (prose && NO_ONE_IN_PARTICULAR.matcher(line).find()) {
                    found.add(ROOT.relativize(file) + ": " + line.strip());
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
