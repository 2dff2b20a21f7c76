package dev.tutti.bench.harness;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Properties;

/** The versions of what is ours. */
public final class Versions {
    private Versions() {}

    /** Tutti, the JDK and libtorch, in that order. */
    public static Map<String, String> ours() {
        Properties built = new Properties();
        try (InputStream in = Versions.class.getResourceAsStream("versions.properties")) {
            built.load(in);
        } catch (IOException e) {
            throw new UncheckedIOException("The versions that the build wrote down cannot be read.", e);
        }
        Map<String, String> versions = new LinkedHashMap<>();
        versions.put("tutti", built.getProperty("tutti"));
        versions.put("jdk", Runtime.version().toString());
        versions.put("libtorch", built.getProperty("libtorch"));
        return versions;
    }
}
