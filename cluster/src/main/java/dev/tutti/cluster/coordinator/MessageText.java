package dev.tutti.cluster.coordinator;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;

/** Times and losses, as messages say them. */
public final class MessageText {
    private static final int LONGEST = 80;

    private MessageText() {}

    public static String seconds(long millis) {
        return String.format(Locale.ROOT, "%.1f s", millis / 1000.0);
    }

    /** The beginning of a text that may be long. */
    static String shortened(String text) {
        return text.length() <= LONGEST ? text : text.substring(0, LONGEST) + "...";
    }

    /** Who went when and why. */
    static String gone(MemberRecord place, long now) {
        return place.id() + " on " + place.host() + ", gone since "
                + Instant.ofEpochMilli(place.lostAt()).truncatedTo(ChronoUnit.MILLIS) + " ("
                + seconds(now - place.lostAt()) + " ago): " + place.lost().why();
    }
}
