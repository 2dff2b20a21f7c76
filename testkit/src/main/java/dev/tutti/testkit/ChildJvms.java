package dev.tutti.testkit;

import dev.tutti.cluster.launch.ChildJvm;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The JVMs that run under this one, found by the member's name on their command line. */
final class ChildJvms {
    private static final String PROPERTY = "-D" + ChildJvm.MEMBER + "=";

    private ChildJvms() {}

    /** A living JVM, one of some or started by them: of a name, or of one who took the place of that name. */
    static Optional<ProcessHandle> of(String member, Collection<Process> roots) {
        return roots.stream()
                .flatMap(root -> Stream.concat(Stream.of(root.toHandle()), root.descendants()))
                .filter(process -> name(process)
                        .map(name -> name.matches(member + "[b-z]*"))
                        .orElse(false))
                .max(Comparator.comparing(ProcessHandle::pid));
    }

    /** All that have a member's name and have not ended. */
    static List<ProcessHandle> all() {
        return ProcessHandle.current()
                .descendants()
                .filter(process -> name(process).isPresent())
                .toList();
    }

    static Optional<String> name(ProcessHandle process) {
        try {
            // Empty for one that has ended and waits for its parent to notice.
            byte[] line = Files.readAllBytes(Path.of("/proc/" + process.pid() + "/cmdline"));
            return Arrays.stream(new String(line, StandardCharsets.UTF_8).split("\0"))
                    .filter(word -> word.startsWith(PROPERTY))
                    .map(word -> word.substring(PROPERTY.length()))
                    .findFirst();
        } catch (IOException e) {
            return Optional.empty();
        }
    }
}
