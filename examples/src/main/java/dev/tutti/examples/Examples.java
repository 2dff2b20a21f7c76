package dev.tutti.examples;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The examples by name, as {@code ./tutti example} runs them. */
public final class Examples {
    /** One of them. */
    @FunctionalInterface
    public interface Example {
        /** Runs with the files of the project at {@code home}, and prints for people. */
        void run(PrintStream out, Path home, List<String> arguments) throws IOException;
    }

    private Examples() {}

    public static Map<String, Example> all() {
        Map<String, Example> all = new LinkedHashMap<>();
        all.put("digits", Digits::run);
        all.put("next-character", NextCharacter::run);
        all.put("gpt", Gpt::run);
        all.put("fine-tune", FineTune::run);
        all.put("many-processes", ManyProcesses::run);
        all.put("recommend", Recommend::run);
        all.put("click-through", ClickThrough::run);
        all.put("federated-speakers", FederatedSpeakers::run);
        all.put("federated-tables", FederatedTables::run);
        all.put("wide-table", WideTable::run);
        return all;
    }
}
