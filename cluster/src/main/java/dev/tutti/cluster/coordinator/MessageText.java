package dev.tutti.cluster.coordinator;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;

/** Times and losses, as messages say them. */
final class MessageText {
    private MessageText() {}

    static String seconds(long millis) {
        return String.format(Locale.ROOT, "%.1f s", millis / 1000.0);
    }

    /** Who went when and why. */
    static String gone(MemberRecord place, long now) {
        return place.id() + " on " + place.host() + ", gone since "
                + Instant.ofEpochMilli(place.lostAt()).truncatedTo(ChronoUnit.MILLIS) + " ("
                + seconds(now - place.lostAt()) + " ago): " + place.lost().why();
    }
}
