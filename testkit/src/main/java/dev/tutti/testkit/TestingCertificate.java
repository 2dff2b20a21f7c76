package dev.tutti.testkit;

import dev.tutti.TuttiException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/** A certificate for hosts of a test, signed by itself, and its key, as PEM files. Needs the command {@code openssl}. */
record TestingCertificate(Path certificate, Path key) {
    /** Makes one that is valid for a day. */
    static TestingCertificate make(Path folder, List<String> addresses) {
        TestingCertificate made = new TestingCertificate(folder.resolve("certificate.pem"), folder.resolve("key.pem"));
        String names = addresses.stream().map(address -> "IP:" + address).collect(Collectors.joining(","));
        List<String> command = List.of(
                "openssl",
                "req",
                "-x509",
                "-newkey",
                "ec",
                "-pkeyopt",
                "ec_paramgen_curve:prime256v1",
                "-nodes",
                "-keyout",
                made.key.toString(),
                "-out",
                made.certificate.toString(),
                "-days",
                "1",
                "-subj",
                "/CN=tutti test",
                "-addext",
                "subjectAltName=" + names);
        try {
            Files.createDirectories(folder);
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (process.waitFor() != 0) {
                throw new TuttiException("openssl could not make a certificate: " + output.strip());
            }
            return made;
        } catch (IOException e) {
            throw new TuttiException("a certificate needs the command openssl: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new TuttiException("interrupted while a certificate was made", e);
        }
    }
}
