package dev.tutti.bench.serve;

import dev.tutti.bench.process.PeerEnvironment;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The server around DJL's predictor in {@code bench/peers/djl}: built by Maven on first use, kept beside the Python peers. */
final class DjlPeer {
    private static final String COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies";

    private DjlPeer() {}

    private static Path folder() {
        return PeerEnvironment.usualFolder(System.getenv()).resolveSibling("djl");
    }

    /** Builds it unless it is there. */
    static void build() throws IOException, InterruptedException {
        Path folder = folder();
        Path complete = folder.resolve("complete");
        if (Files.exists(complete)) {
            return;
        }
        Files.createDirectories(folder);
        Process maven = new ProcessBuilder(
                        "mvn",
                        "-q",
                        "-f",
                        "bench/peers/djl/pom.xml",
                        "-Dpeer.target=" + folder,
                        "compile",
                        COPY,
                        "-DoutputDirectory=" + folder.resolve("lib"))
                .redirectErrorStream(true)
                .start();
        String said = new String(maven.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (maven.waitFor() != 0) {
            throw new IOException("DJL's server could not be built from bench/peers/djl: " + said.strip());
        }
        Files.createFile(complete);
    }

    static List<String> command(String network, int port) {
        Path folder = folder();
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Dsun.net.httpserver.nodelay=true",
                "-Dai.djl.pytorch.num_threads=1",
                "-Dai.djl.pytorch.num_interop_threads=1",
                "-DOFFLINE=true",
                "-cp",
                folder.resolve("classes") + File.pathSeparator + folder.resolve("lib") + "/*",
                "DjlServer",
                network,
                Integer.toString(port));
    }
}
