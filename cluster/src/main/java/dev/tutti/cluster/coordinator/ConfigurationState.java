package dev.tutti.cluster.coordinator;

import dev.tutti.cluster.journal.Journal;
import dev.tutti.comm.Configuration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The configuration of a job, with a number that rises with every change. It begins with the time: a member that has known a coordinator
 * that was lost with all it knew takes what the next one says for newer.
 */
final class ConfigurationState implements JournaledState {
    private static final int MOST = 1_000;
    private static final int MOST_CHARACTERS = 1 << 20; // all of them travel in one message

    private final Map<String, String> values = new TreeMap<>();
    private long version;

    Fact.Configured change(Event.Configure asked, long now) {
        TextLimits.requireName("a setting's name", asked.key());
        if (asked.value() != null) {
            requireRoom(asked.key(), asked.value());
        }
        return new Fact.Configured(asked.key(), asked.value(), Math.max(version + 1, now));
    }

    private void requireRoom(String key, String value) {
        TextLimits.requireShort("the setting '" + key + "'", value);
        boolean isNew = !values.containsKey(key);
        if (isNew && values.size() >= MOST) {
            throw RefusedException.contradiction("there are " + MOST + " settings already: take some away first");
        }
        long characters = value.length()
                + values.entrySet().stream()
                        .filter(setting -> !setting.getKey().equals(key))
                        .mapToLong(setting -> setting.getKey().length()
                                + (long) setting.getValue().length())
                        .sum();
        if (characters > MOST_CHARACTERS) {
            throw RefusedException.contradiction("settings of " + characters + " characters in all are too many with '"
                    + key + "': at most " + MOST_CHARACTERS + " are kept");
        }
    }

    Configuration configuration() {
        return new Configuration(version, values);
    }

    long version() {
        return version;
    }

    @Override
    public void enter(Fact fact, long at) {
        if (fact instanceof Fact.Configured configured) {
            version = configured.version();
            if (configured.value() == null) {
                values.remove(configured.key());
            } else {
                values.put(configured.key(), configured.value());
            }
        }
    }

    @Override
    public List<Journal.Entry> summary(long now) {
        if (values.isEmpty() && version > 0) {
            // Nothing is left but the number, which members compare with theirs.
            return List.of(new Journal.Entry(now, List.of(new Fact.Configured("", null, version))));
        }
        return values.entrySet().stream()
                .map(setting -> new Fact.Configured(setting.getKey(), setting.getValue(), version))
                .map(configured -> new Journal.Entry(now, List.of(configured)))
                .toList();
    }

    @Override
    public String toString() {
        return values + " version " + version;
    }
}
