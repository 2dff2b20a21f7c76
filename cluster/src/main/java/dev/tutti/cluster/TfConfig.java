package dev.tutti.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import dev.tutti.TuttiException;
import dev.tutti.json.ConfigException;
import dev.tutti.json.Json;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * TensorFlow's {@code TF_CONFIG}: {@code {"cluster": {"ps": [...], "worker": [...], "chief": [...]}, "task": {"type": "ps", "index": 0}}}.
 *
 * <p>A {@code ps} is a server, the {@code chief} the first worker, an {@code evaluator} an evaluator. The first worker runs the coordinator on
 * the port of its address. TensorFlow knows no secret between members: here it is that of the environment variable {@value #TOKEN}, or, for
 * members of one user, one that the first of them writes into a file of its home that no other user can read.
 */
@JsonIgnoreProperties(ignoreUnknown = true) // such as "environment", which older programs write
record TfConfig(Map<String, List<String>> cluster, ClusterSpec.Task task) {
    static final String VARIABLE = "TF_CONFIG";
    static final String TOKEN = "TUTTI_TOKEN";

    private static final Map<String, String> ROLES =
            Map.of("ps", "server", "chief", ClusterSpec.WORKER, "master", ClusterSpec.WORKER);

    /** The spec that says the same. */
    static ClusterSpec parse(String text, Map<String, String> environment, Path home) {
        TfConfig config = Json.read(text, TfConfig.class, VARIABLE);
        if (config.cluster == null || config.task == null) {
            throw new ConfigException(VARIABLE + ": expected 'cluster' with addresses by role, and 'task'");
        }
        Map<String, List<String>> cluster = new TreeMap<>();
        List<String> workers = new ArrayList<>();
        for (String role : List.of("chief", "master", ClusterSpec.WORKER)) {
            workers.addAll(config.cluster.getOrDefault(role, List.of()));
        }
        config.cluster.forEach((role, addresses) -> cluster.put(ROLES.getOrDefault(role, role), addresses));
        cluster.put(ClusterSpec.WORKER, workers);
        boolean chief = config.cluster.containsKey("chief") || config.cluster.containsKey("master");
        String type = ROLES.getOrDefault(config.task.type(), config.task.type());
        int shift = chief && config.task.type().equals(ClusterSpec.WORKER) ? 1 : 0;
        if (type.equals("evaluator")) {
            cluster.putIfAbsent(type, List.of("evaluator"));
        }
        String token = environment.getOrDefault(TOKEN, "");
        return new ClusterSpec(
                cluster,
                new ClusterSpec.Task(type, config.task.index() + shift),
                token.isEmpty() ? sharedToken(config.cluster, home) : token,
                null,
                null,
                null,
                null,
                null,
                null,
                true,
                null,
                null);
    }

    /** The token that all processes of one user with the same cluster find. */
    private static String sharedToken(Map<String, List<String>> cluster, Path home) {
        Path file = home.resolve(".tutti").resolve("tokens").resolve(digest(Json.write(new TreeMap<>(cluster))));
        try {
            Files.createDirectories(
                    file.getParent(),
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            byte[] bytes = new byte[24];
            new SecureRandom().nextBytes(bytes);
            Path mine = Files.createTempFile(file.getParent(), "token", ""); // for its owner alone
            Files.writeString(mine, HexFormat.of().formatHex(bytes), StandardOpenOption.TRUNCATE_EXISTING);
            try {
                Files.createLink(file, mine); // whole or not at all, and only by the first
            } catch (FileAlreadyExistsException e) {
                return Files.readString(file, UTF_8);
            } finally {
                Files.delete(mine);
            }
            return Files.readString(file, UTF_8);
        } catch (IOException e) {
            throw new TuttiException("the secret of the members could not be kept in " + file + " (" + e.getMessage()
                    + "): set " + TOKEN + " to at least 16 characters for all of them");
        }
    }

    private static String digest(String text) {
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8)))
                    .substring(0, 32);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
