package dev.tutti.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tutti.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class TraceFileTest {
    @TempDir
    private Path folder;

    @Test
    void isAnArrayAfterEveryFlush() throws IOException {
        Path path = folder.resolve("trace.json");
        try (TraceFile file = TraceFile.create(path)) {
            assertThat(read(path)).isEmpty();
            file.process(1, "a \"name\" with \\ and \n");
            file.flush();
            assertThat(read(path)).hasSize(2);
            for (int i = 0; i < 2000; i++) {
                file.span(1, 0, "wire", i * 10, 2.5);
                if (i % 200 == 0) {
                    assertThat(read(path).isArray()).isTrue();
                }
            }
        }
        JsonNode events = read(path);
        assertThat(events).hasSize(2002);
        assertThat(events.get(0).path("args").path("name").asText()).isEqualTo("a \"name\" with \\ and  ");
        JsonNode last = events.get(2001);
        assertThat(last.path("ts").asDouble()).isEqualTo(19990);
        assertThat(last.path("dur").asDouble()).isEqualTo(2.5);
    }

    @Test
    void takesThePlaceOfALongerOne() throws IOException {
        Path path = Files.writeString(folder.resolve("trace.json"), "x".repeat(1000));
        TraceFile.create(path).close();
        assertThat(read(path)).isEmpty();
    }

    @Test
    void saysWhereItCannotBeWritten() {
        assertThatThrownBy(() -> TraceFile.create(folder))
                .isInstanceOf(FileException.class)
                .hasMessageContaining(folder.toString());
    }

    private static JsonNode read(Path path) throws IOException {
        return Json.json().readTree(Files.readString(path));
    }
}
