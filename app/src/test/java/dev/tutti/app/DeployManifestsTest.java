package dev.tutti.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.tutti.cluster.ClusterSpec;
import dev.tutti.consensus.CoordinatorPeer;
import dev.tutti.train.job.JobFile;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The manifests of deploy/ fit together, and what their containers run is what Tutti understands. */
class DeployManifestsTest {
    private static final Path DEPLOY = Path.of("..", "deploy");
    private static final Path BASE = DEPLOY.resolve("kubernetes/base");

    @TempDir
    Path folder;

    private static List<JsonNode> read(Path file) throws IOException {
        YAMLMapper yaml = new YAMLMapper();
        try (MappingIterator<JsonNode> documents =
                yaml.readerFor(JsonNode.class).readValues(file.toFile())) {
            return documents.readAll();
        }
    }

    private static JsonNode set(String name) throws IOException {
        for (String file : List.of("coordinator.yaml", "workers.yaml")) {
            for (JsonNode document : read(BASE.resolve(file))) {
                if (document.at("/kind").asText().equals("StatefulSet")
                        && document.at("/metadata/name").asText().equals(name)) {
                    return document;
                }
            }
        }
        throw new AssertionError("there is no StatefulSet " + name);
    }

    @Test
    void setsSelectTheirPodsAndNameTheirServicesAndVolumes() throws IOException {
        TreeSet<String> services = new TreeSet<>();
        for (String file : List.of("coordinator.yaml", "workers.yaml")) {
            for (JsonNode document : read(BASE.resolve(file))) {
                assertThat(document.at("/apiVersion").asText())
                        .as("%s", document)
                        .isNotEmpty();
                if (document.at("/kind").asText().equals("Service")) {
                    services.add(document.at("/metadata/name").asText());
                }
            }
        }
        for (String name : List.of("tutti-coordinator", "tutti-worker")) {
            JsonNode set = set(name);
            assertThat(services).contains(set.at("/spec/serviceName").asText());
            assertThat(set.at("/spec/selector/matchLabels")).isEqualTo(set.at("/spec/template/metadata/labels"));
            List<String> volumes = new ArrayList<>();
            set.at("/spec/template/spec/volumes")
                    .forEach(volume -> volumes.add(volume.at("/name").asText()));
            set.at("/spec/volumeClaimTemplates")
                    .forEach(claim -> volumes.add(claim.at("/metadata/name").asText()));
            set.at("/spec/template/spec/containers/0/volumeMounts")
                    .forEach(mount ->
                            assertThat(volumes).contains(mount.at("/name").asText()));
            // The overlay replaces the first variable.
            assertThat(set.at("/spec/template/spec/containers/0/env/0/name").asText())
                    .isEqualTo("WORKERS");
        }
    }

    /** By the schemas of Kubernetes' API, where the validator is installed: {@code pip install kubernetes-validate}. */
    @Test
    void theManifestsFitTheSchemasOfKubernetes() throws Exception {
        Optional<Path> validator = Stream.of(System.getenv("PATH").split(File.pathSeparator))
                .map(place -> Path.of(place, "kubernetes-validate"))
                .filter(Files::isExecutable)
                .findFirst();
        if (validator.isEmpty()) {
            System.err.println(
                    "SKIPPED: manifests are not checked by schemas: there is no command kubernetes-validate");
        }
        Assumptions.assumeTrue(validator.isPresent(), "there is no command kubernetes-validate");
        for (String name : List.of("coordinator.yaml", "workers.yaml")) {
            Path file = BASE.resolve(name);
            assertThat(complaintsOf(validator.get(), file)).isEmpty();
            Path misspelt = folder.resolve(name);
            Files.writeString(misspelt, Files.readString(file).replace("serviceName:", "serviceNam:"));
            assertThat(complaintsOf(validator.get(), misspelt)).contains("serviceNam");
        }
    }

    private static String complaintsOf(Path validator, Path manifest) throws Exception {
        Process process = new ProcessBuilder(validator.toString(), "--strict", manifest.toString())
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return process.exitValue() == 0 ? "" : output;
    }

    @Test
    void theJobIsOne() throws IOException {
        String yaml = Files.readString(BASE.resolve("job.yaml"));
        assertThat(JobFile.of(yaml, "the job of deploy", "job").job().cluster().isStartedByHand())
                .isTrue();
    }

    /** Runs a container's script with a command in the place of tutti, which prints what it was given. */
    private String run(String set, String pod) throws Exception {
        JsonNode container = set(set).at("/spec/template/spec/containers/0");
        Path tutti = folder.resolve("tutti");
        Files.writeString(tutti, "#!/bin/sh\necho \"$@\"\necho \"$TUTTI_CONFIG\"\nexit 1\n");
        assertThat(tutti.toFile().setExecutable(true)).isTrue();
        ProcessBuilder shell =
                new ProcessBuilder("sh", "-c", container.at("/args/0").asText()).directory(folder.toFile());
        shell.environment().put("HOSTNAME", pod);
        shell.environment().put("TOKEN", "0123456789abcdef0123456789abcdef");
        container.at("/env").forEach(variable -> {
            if (variable.has("value")) {
                shell.environment()
                        .put(
                                variable.at("/name").asText(),
                                variable.at("/value").asText());
            }
        });
        Process process = shell.redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(10, TimeUnit.SECONDS)).isTrue();
        return output;
    }

    @Test
    void workersAreGivenASpecThatTuttiReads() throws Exception {
        String output = run("tutti-worker", "tutti-worker-2");
        assertThat(output).startsWith("train /job/job.yaml\n");
        String spec = output.substring(output.indexOf('\n') + 1);
        assertThat(ClusterSpec.parse(spec, "the spec of the manifests")).isNotNull(); // it checks all of it
        JsonNode tree = new YAMLMapper().readTree(spec);
        assertThat(tree.at("/cluster/worker")).hasSize(4);
        assertThat(tree.at("/cluster/coordinator")).hasSize(3);
        assertThat(tree.at("/task/index").asInt()).isEqualTo(2);
    }

    @Test
    void theCoordinatorIsGivenPeersThatTuttiReads() throws Exception {
        String output = run("tutti-coordinator", "tutti-coordinator-1");
        assertThat(output).startsWith("coordinator --folder /facts --expected 4 --min 2 --name tutti-coordinator-1");
        String peers = output.replaceAll("(?s).*--peers (\\S+).*", "$1");
        assertThat(CoordinatorPeer.list(peers)).hasSize(3);
    }

    @Test
    void theSparkApplicationNamesMainAndTheJobsConfigMap() throws IOException {
        JsonNode application =
                read(DEPLOY.resolve("spark-operator/sparkapplication.yaml")).get(0);
        assertThat(application.at("/spec/mainClass").asText()).isEqualTo(Main.class.getName());
        assertThat(application.at("/spec/volumes/0/configMap/name").asText()).isEqualTo("tutti-job");
        assertThat(application.at("/spec/executor/instances").asInt()).isPositive();
    }
}
