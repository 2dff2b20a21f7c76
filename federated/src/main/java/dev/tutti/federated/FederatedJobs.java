package dev.tutti.federated;

import dev.tutti.DidYouMean;
import dev.tutti.TuttiException;
import dev.tutti.json.ConfigException;
import dev.tutti.json.Json;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Finds federated jobs: files, and those that come with Tutti. */
public final class FederatedJobs {
    private static final List<String> BUILT_IN = List.of("mnist", "mnist-cnn");

    private FederatedJobs() {}

    /** The names of the jobs that come with Tutti. */
    public static List<String> builtIn() {
        return BUILT_IN;
    }

    /**
     * The job that a user means: a YAML or JSON file, or the name of a built-in one.
     *
     * @throws ConfigException if there is none, or it is wrong; it says where
     */
    public static FederatedJob find(String name) {
        Path file = Path.of(name);
        if (Files.isRegularFile(file)) {
            return checked(Json.read(file, FederatedJob.class), name);
        }
        if (!BUILT_IN.contains(name)) {
            throw new ConfigException(name + ": there is no such file" + DidYouMean.hint(name, BUILT_IN) + " Built in: "
                    + String.join(", ", BUILT_IN));
        }
        return checked(Json.readYaml(text(name), FederatedJob.class, name + ".yaml (built in)"), name);
    }

    /** The text of a built-in job. */
    public static String text(String name) {
        try (InputStream in = FederatedJobs.class.getResourceAsStream(name + ".yaml")) {
            if (in == null) {
                throw new IllegalArgumentException(
                        "there is no built-in job " + name + ": expected one of " + BUILT_IN);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static FederatedJob checked(FederatedJob job, String where) {
        try {
            job.validate();
            return job;
        } catch (ConfigException e) {
            throw e;
        } catch (TuttiException e) {
            throw new ConfigException(where + ": " + e.getMessage(), e);
        }
    }
}
