package dev.tutti.app;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.tutti.app.command.ScriptTrust;
import dev.tutti.json.Json;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** Runs commands as a user would, without a process of their own, and keeps what they said. */
public final class Terminal {
    static {
        // Tests do not add to what the user trusts.
        System.setProperty(ScriptTrust.FILE, System.getProperty("java.io.tmpdir") + "/tutti-test-trusted");
    }

    private String input = "";
    private String out = "";
    private String err = "";

    /** What the next command finds on standard input. */
    Terminal typed(String text) {
        input = text;
        return this;
    }

    /** Runs a command and gives its exit code. */
    public int run(String... args) {
        ByteArrayOutputStream outBytes = new ByteArrayOutputStream();
        ByteArrayOutputStream errBytes = new ByteArrayOutputStream();
        Console console = new Console(
                new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)),
                new PrintStream(outBytes, true, StandardCharsets.UTF_8),
                new PrintStream(errBytes, true, StandardCharsets.UTF_8),
                false,
                false,
                false);
        int code = Main.run(console, args);
        out = outBytes.toString(StandardCharsets.UTF_8);
        err = errBytes.toString(StandardCharsets.UTF_8);
        return code;
    }

    public String out() {
        return out;
    }

    public String err() {
        return err;
    }

    /** Standard output, which must be one JSON object and nothing else. */
    public JsonNode json() {
        try {
            return Json.json().readTree(out);
        } catch (JsonProcessingException e) {
            throw new AssertionError("standard output is not one JSON object: " + out, e);
        }
    }
}
