package dev.tutti;

import java.util.Collection;
import java.util.Optional;

/** Finds what a misspelt word was meant to be. */
public final class DidYouMean {
    private DidYouMean() {}

    /** The candidate nearest to the word, if one is near enough to be a slip of the fingers. */
    public static Optional<String> nearest(String word, Collection<String> candidates) {
        String best = null;
        int bestDistance = Math.max(1, word.length() / 3) + 1;
        for (String candidate : candidates) {
            int distance = distance(word, candidate);
            boolean closer = distance < bestDistance;
            boolean tie = best != null
                    && distance == bestDistance
                    && commonPrefix(word, candidate) > commonPrefix(word, best);
            if (closer || tie) {
                bestDistance = distance;
                best = candidate;
            }
        }
        return Optional.ofNullable(best);
    }

    /** The end of an error message: {@code : did you mean 'strategy'?}, or the list of what there is. */
    public static String hint(String word, Collection<String> candidates) {
        return nearest(word, candidates)
                .map(near -> ": did you mean '" + near + "'?")
                .orElse(": expected one of " + String.join(", ", candidates));
    }

    /** Edits that turn one word into the other, a swap of neighbours counting once; letter case does not count. */
    private static int distance(String a, String b) {
        int[][] d = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            for (int j = 0; j <= b.length(); j++) {
                if (i == 0 || j == 0) {
                    d[i][j] = i + j;
                    continue;
                }
                boolean same = same(a, i - 1, b, j - 1);
                d[i][j] = Math.min(Math.min(d[i - 1][j], d[i][j - 1]) + 1, d[i - 1][j - 1] + (same ? 0 : 1));
                if (i > 1 && j > 1 && same(a, i - 1, b, j - 2) && same(a, i - 2, b, j - 1)) {
                    d[i][j] = Math.min(d[i][j], d[i - 2][j - 2] + 1);
                }
            }
        }
        return d[a.length()][b.length()];
    }

    private static int commonPrefix(String a, String b) {
        int length = 0;
        while (length < Math.min(a.length(), b.length()) && same(a, length, b, length)) {
            length++;
        }
        return length;
    }

    private static boolean same(String a, int i, String b, int j) {
        return Character.toLowerCase(a.charAt(i)) == Character.toLowerCase(b.charAt(j));
    }
}
