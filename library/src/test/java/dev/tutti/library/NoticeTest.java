package dev.tutti.library;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Every library on the class path is named in NOTICE. */
class NoticeTest {
    /** What a library is called in NOTICE, by the beginning of its jar's name. */
    private static final Map<String, String> NAMES = Map.ofEntries(
            entry("animal-sniffer", "Animal Sniffer"),
            entry("annotations-4", "Android annotations"),
            entry("apiguardian", "JUnit"),
            entry("assertj", "AssertJ"),
            entry("byte-buddy", "AssertJ"),
            entry("dnnl", "oneDNN"),
            entry("error_prone", "Error Prone"),
            entry("failureaccess", "Guava"),
            entry("grpc-netty-shaded", "Netty"),
            entry("grpc", "gRPC"),
            entry("gson", "Gson"),
            entry("guava", "Guava"),
            entry("j2objc", "J2ObjC"),
            entry("jackson", "Jackson"),
            entry("javacpp", "JavaCPP"),
            entry("jna", "JNA"),
            entry("jspecify", "JSpecify"),
            entry("jsr305", "JSR 305"),
            entry("junit", "JUnit"),
            entry("listenablefuture", "Guava"),
            entry("mkl", "oneMKL"),
            entry("openblas", "OpenBLAS"),
            entry("opentest4j", "JUnit"),
            entry("perfmark", "PerfMark"),
            entry("pytorch", "PyTorch"),
            entry("slf4j", "SLF4J"),
            entry("snakeyaml", "SnakeYAML"));

    @Test
    void namesEveryLibrary() throws IOException {
        String notice = Files.readString(Path.of("..", "NOTICE"));
        assertThat(Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                        .map(path -> Path.of(path).getFileName().toString())
                        .filter(file -> file.endsWith(".jar") && !file.startsWith("tutti-")))
                .isNotEmpty()
                .allSatisfy(jar -> assertThat(NAMES.entrySet())
                        .as("%s is named in NOTICE, and its name listed here", jar)
                        .anySatisfy(name -> {
                            assertThat(jar).startsWith(name.getKey());
                            assertThat(notice).contains(name.getValue());
                        }));
    }
}
