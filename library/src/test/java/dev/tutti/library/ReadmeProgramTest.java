package dev.tutti.library;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The program in the README compiles as it is printed, and uses the version of the build. */
class ReadmeProgramTest {
    @TempDir
    private Path folder;

    @Test
    void compilesWithItsImports() throws IOException {
        Path source = folder.resolve("Digits.java");
        Files.writeString(source, block("java"));
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter said = new StringWriter();
        boolean compiled = compiler.getTask(
                        said,
                        null,
                        null,
                        List.of("-proc:none", "-d", folder.toString(), "-cp", System.getProperty("java.class.path")),
                        null,
                        compiler.getStandardFileManager(null, null, null).getJavaFileObjects(source))
                .call();
        assertThat(compiled).as(said.toString()).isTrue();
    }

    @Test
    void namesTheVersionOfTheBuild() throws IOException {
        Matcher version =
                Pattern.compile("(?m)^  <version>(.*)</version>$").matcher(Files.readString(Path.of("../pom.xml")));
        assertThat(version.find()).isTrue();
        assertThat(block("xml")).contains("<version>" + version.group(1) + "</version>");
        assertThat(block("kotlin")).contains("dev.tutti:tutti:" + version.group(1));
    }

    private static String block(String language) throws IOException {
        Matcher block = Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL)
                .matcher(Files.readString(Path.of("..", "README.md")));
        assertThat(block.find()).isTrue();
        return block.group(1);
    }
}
