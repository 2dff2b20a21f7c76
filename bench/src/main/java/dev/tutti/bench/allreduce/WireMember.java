package dev.tutti.bench.allreduce;

import dev.tutti.host.HostTuning;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * A member other than the first: {@code WireMember shared RANK MEMBERS FOLDER}.
 *
 * <p>Each line {@code ELEMENTS TIMES} on its standard input is an order; it is answered by {@code sent BYTES}, all so far.
 * When the input ends, so does it.
 */
public final class WireMember {
    /** What an answer begins with: Gloo prints lines of its own. */
    static final String SENT = "sent ";

    private WireMember() {}

    public static void main(String[] arguments) throws IOException {
        HostTuning.apply();
        var orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        try (VectorSums sums = new VectorSums(
                WireKind.parse(arguments[0]),
                Integer.parseInt(arguments[1]),
                Integer.parseInt(arguments[2]),
                Path.of(arguments[3]))) {
            for (String line = orders.readLine(); line != null; line = orders.readLine()) {
                String[] words = line.split(" ");
                sums.sum(Integer.parseInt(words[0]), Integer.parseInt(words[1]));
                System.out.println(SENT + sums.sent());
            }
        }
    }
}
