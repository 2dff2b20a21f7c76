package dev.tutti.examples;

import static dev.tutti.loss.Losses.softmaxCrossEntropy;
import static dev.tutti.metric.Metrics.accuracy;
import static dev.tutti.nn.Layers.dense;
import static dev.tutti.nn.Layers.embedding;
import static dev.tutti.nn.Layers.lstm;
import static dev.tutti.optim.Optimizers.sgd;

import dev.tutti.array.NdArray;
import dev.tutti.data.Dataset;
import dev.tutti.federated.FederatedJob;
import dev.tutti.federated.Selection;
import dev.tutti.federated.simulation.ClientPicture;
import dev.tutti.federated.simulation.Partitioner;
import dev.tutti.federated.simulation.Simulation;
import dev.tutti.federated.simulation.SimulationResult;
import dev.tutti.nn.Input;
import dev.tutti.nn.Sequential;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Federated learning with a natural split: every speaker of a play is a client, whose lines stay with it. A model learns to guess the
 * next character from the last twenty.
 *
 * <p>Arguments: a text with lines {@code NAME:} before speeches, rounds, and a page to write. Without a text, a few made-up speakers.
 */
public final class FederatedSpeakers {
    private static final int WINDOW = 20;
    private static final int STEP = 3;
    private static final int LEAST_ROWS = 40;

    private FederatedSpeakers() {}

    static void run(PrintStream out, Path home, List<String> arguments) throws IOException {
        String text = arguments.isEmpty() ? madeUp() : Files.readString(Path.of(arguments.get(0)));
        int rounds = arguments.size() > 1 ? Integer.parseInt(arguments.get(1)) : 3;
        Map<String, String> speeches = speeches(text);
        List<Character> letters =
                text.chars().mapToObj(c -> (char) c).distinct().sorted().toList();
        Dataset rows = rows(speeches, letters);
        FederatedJob job = FederatedJob.of(
                        "speakers",
                        Sequential.of(embedding(letters.size(), 16), lstm(64), dense(letters.size())),
                        List.of(Input.ids(WINDOW)),
                        sgd(0.8),
                        softmaxCrossEntropy())
                .metrics(accuracy())
                .batch(20)
                .rounds(rounds)
                .seed(1)
                .selection(new Selection().fraction(0.2).minimum(2));
        Simulation simulation = Simulation.of(job, rows, speeches.size())
                .partition(Partitioner.parse("column:label1"))
                .watch(round -> out.printf("round %d: loss %.3f%n", round.round(), round.loss()));
        SimulationResult result = simulation.run();
        if (arguments.size() > 2) {
            Files.writeString(
                    Path.of(arguments.get(2)),
                    ClientPicture.page("Speakers, next character", simulation.perClient(result.model())));
        }
        out.println(result.clients() + " speakers, " + result.ending());
    }

    /** What each speaker says, of those who say enough. */
    private static Map<String, String> speeches(String text) {
        Map<String, StringBuilder> all = new LinkedHashMap<>();
        String speaker = "";
        for (String line : text.split("\n")) {
            if (line.matches("[A-Z][A-Za-z ]+:")) {
                speaker = line;
            } else if (!line.isBlank()) {
                all.computeIfAbsent(speaker, name -> new StringBuilder())
                        .append(line)
                        .append('\n');
            }
        }
        Map<String, String> enough = new LinkedHashMap<>();
        all.forEach((name, words) -> {
            if (words.length() > WINDOW + STEP * LEAST_ROWS) {
                enough.put(name, words.toString());
            }
        });
        return enough;
    }

    /** Windows of characters, the next one, and the number of the speaker, by which the rows are divided. */
    private static Dataset rows(Map<String, String> speeches, List<Character> letters) {
        List<long[]> windows = new ArrayList<>();
        List<Long> next = new ArrayList<>();
        List<Long> owners = new ArrayList<>();
        long owner = 0;
        for (String words : speeches.values()) {
            for (int at = 0; at + WINDOW < words.length(); at += STEP) {
                long[] window = new long[WINDOW];
                for (int i = 0; i < WINDOW; i++) {
                    window[i] = letters.indexOf(words.charAt(at + i));
                }
                windows.add(window);
                next.add((long) letters.indexOf(words.charAt(at + WINDOW)));
                owners.add(owner);
            }
            owner++;
        }
        long[] all = new long[windows.size() * WINDOW];
        for (int i = 0; i < windows.size(); i++) {
            System.arraycopy(windows.get(i), 0, all, i * WINDOW, WINDOW);
        }
        int rows = windows.size();
        return Dataset.of(List.of(NdArray.of(all, rows, WINDOW)), List.of(column(next, rows), column(owners, rows)));
    }

    private static NdArray column(List<Long> values, int rows) {
        return NdArray.of(values.stream().mapToLong(Long::longValue).toArray(), rows);
    }

    private static String madeUp() {
        StringBuilder text = new StringBuilder();
        String[] habits = {
            "to be or not to be ",
            "all the world is a stage ",
            "what light through yonder window ",
            "now is the winter "
        };
        for (int i = 0; i < habits.length; i++) {
            text.append("Speaker ")
                    .append((char) ('A' + i))
                    .append(":\n")
                    .append(habits[i].repeat(30))
                    .append("\n\n");
        }
        return text.toString();
    }
}
