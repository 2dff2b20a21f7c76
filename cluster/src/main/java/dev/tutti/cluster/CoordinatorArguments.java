package dev.tutti.cluster;

import dev.tutti.DidYouMean;
import dev.tutti.TuttiException;
import dev.tutti.cluster.coordinator.Patience;
import dev.tutti.cluster.coordinator.Rules;
import dev.tutti.cluster.rpc.ServerSettings;
import dev.tutti.cluster.rpc.Tls;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What a coordinator that runs as a process of its own is told: {@code --folder F --expected N [--min N] [--max N] [--host H]
 * [--port P] [--eject-slower-than X] [--certificate F --key F [--trust F]] [--plain-to-others] [--until-stdin-closes]}.
 */
record CoordinatorArguments(
        Path folder, String host, int port, Rules rules, Tls tls, boolean plainToOthers, boolean untilStdinCloses) {
    private static final List<String> VALUES = List.of(
            "--folder",
            "--expected",
            "--min",
            "--max",
            "--host",
            "--port",
            "--eject-slower-than",
            "--certificate",
            "--key",
            "--trust");
    private static final List<String> FLAGS = List.of("--plain-to-others", "--until-stdin-closes");

    static CoordinatorArguments parse(List<String> arguments) {
        Map<String, String> given = new HashMap<>();
        for (int i = 0; i < arguments.size(); i++) {
            String name = arguments.get(i);
            if (FLAGS.contains(name)) {
                given.put(name, "");
            } else if (VALUES.contains(name) && i + 1 < arguments.size()) {
                given.put(name, arguments.get(++i));
            } else if (VALUES.contains(name)) {
                throw new TuttiException(name + " needs a value");
            } else {
                List<String> known = new ArrayList<>(VALUES);
                known.addAll(FLAGS);
                throw new TuttiException("unknown option '" + name + "'" + DidYouMean.hint(name, known));
            }
        }
        if (!given.containsKey("--folder") || !given.containsKey("--expected")) {
            throw new TuttiException("a coordinator needs --folder and --expected");
        }
        int expected = (int) number(given, "--expected", 1);
        return new CoordinatorArguments(
                Path.of(given.get("--folder")),
                given.getOrDefault("--host", "127.0.0.1"),
                (int) number(given, "--port", 0),
                new Rules(
                        (int) number(given, "--min", 1),
                        (int) number(given, "--max", expected),
                        expected,
                        number(given, "--eject-slower-than", 0),
                        Patience.DEFAULT),
                given.containsKey("--certificate")
                        ? new Tls(path(given, "--certificate"), path(given, "--key"), path(given, "--trust"))
                        : null,
                given.containsKey("--plain-to-others"),
                given.containsKey("--until-stdin-closes"));
    }

    private static Path path(Map<String, String> given, String name) {
        return given.containsKey(name) ? Path.of(given.get(name)) : null;
    }

    private static double number(Map<String, String> given, String name, double otherwise) {
        String text = given.get(name);
        try {
            return text == null ? otherwise : Double.parseDouble(text);
        } catch (NumberFormatException e) {
            throw new TuttiException(name + ": expected a number, received '" + text + "'", e);
        }
    }

    CoordinatorArguments port(int other) {
        return new CoordinatorArguments(folder, host, other, rules, tls, plainToOthers, untilStdinCloses);
    }

    ServerSettings settings(String token) {
        return new ServerSettings(rules, host, port, token, folder, tls, plainToOthers);
    }
}
