package dev.tutti.cluster.coordinator;

import java.util.regex.Pattern;

/** How long names and texts of members may be: a coordinator keeps them all. */
final class TextLimits {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,100}");
    private static final int LONGEST = 1 << 16;

    private TextLimits() {}

    static void requireName(String what, String name) {
        if (!NAME.matcher(name).matches()) {
            throw RefusedException.contradiction(
                    what + ": expected up to 100 letters, digits and any of . _ -, received '" + name + "'");
        }
    }

    static void requireShort(String what, String text) {
        if (text.length() > LONGEST) {
            throw RefusedException.contradiction(
                    what + " has " + text.length() + " characters, expected at most " + LONGEST);
        }
    }
}
