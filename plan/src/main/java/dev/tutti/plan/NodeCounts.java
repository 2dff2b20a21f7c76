package dev.tutti.plan;

import dev.tutti.TuttiException;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads numbers of nodes such as {@code 1,2,8} and {@code 2..1000}; a range stands for its ends and the doublings between them. */
public final class NodeCounts {
    private static final int MOST = 1_000_000;
    private static final Pattern PART = Pattern.compile("(\\d{1,7})(?:\\.\\.(\\d{1,7}))?");

    private NodeCounts() {}

    /**
     * The numbers in rising order, each once.
     *
     * @throws TuttiException if the text has another form
     */
    public static List<Integer> parse(String text) {
        TreeSet<Integer> counts = new TreeSet<>();
        for (String part : text.split(",")) {
            Matcher matcher = PART.matcher(part.strip());
            if (!matcher.matches()) {
                throw wrong(text);
            }
            int from = Integer.parseInt(matcher.group(1));
            int to = matcher.group(2) == null ? from : Integer.parseInt(matcher.group(2));
            if (from < 1 || to < from || to > MOST) {
                throw wrong(text);
            }
            for (long count = from; count < to; count *= 2) {
                counts.add((int) count);
            }
            counts.add(to);
        }
        return List.copyOf(counts);
    }

    private static TuttiException wrong(String text) {
        return new TuttiException("nodes: expected numbers from 1 to " + MOST + " and ranges, such as 1,2,8 or 2..1000,"
                + " received '" + text + "'");
    }
}
