package dev.tutti.train;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;

/** The version of Tutti that is running. */
public final class Version {
    private static final String CURRENT = read();

    private Version() {}

    public static String current() {
        return CURRENT;
    }

    private static String read() {
        try (InputStream in = Version.class.getResourceAsStream("/dev/tutti/version.properties")) {
            Properties properties = new Properties();
            if (in != null) {
                properties.load(in);
            }
            return properties.getProperty("version", "unknown");
        } catch (IOException e) {
            return "unknown";
        }
    }
}
