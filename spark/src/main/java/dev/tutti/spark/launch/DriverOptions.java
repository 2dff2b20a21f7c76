package dev.tutti.spark.launch;

import java.util.List;
import java.util.stream.Stream;

/** What Spark asks of the JVMs that it does not start itself. */
public final class DriverOptions {
    /** Packages of the JDK that Spark reaches into. */
    public static final List<String> OPENS = Stream.of(
                    "java.lang",
                    "java.lang.invoke",
                    "java.lang.reflect",
                    "java.io",
                    "java.net",
                    "java.nio",
                    "java.util",
                    "java.util.concurrent",
                    "java.util.concurrent.atomic",
                    "jdk.internal.ref",
                    "sun.nio.ch",
                    "sun.nio.cs",
                    "sun.security.action",
                    "sun.util.calendar")
            .map(name -> "--add-opens=java.base/" + name + "=ALL-UNNAMED")
            .toList();

    private DriverOptions() {}
}
