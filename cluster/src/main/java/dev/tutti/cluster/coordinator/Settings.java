package dev.tutti.cluster.coordinator;

import dev.tutti.comm.Configuration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The configuration of a job, with the number of its changes. */
final class Settings implements Book {
    private static final int MOST = 10_000;

    private final Map<String, String> values = new TreeMap<>();
    private long version;

    Fact.Configured change(Event.Configure asked) {
        TextLimits.requireShort("a setting's name", asked.key());
        if (asked.value() != null) {
            TextLimits.requireShort("the setting '" + asked.key() + "'", asked.value());
        }
        if (values.size() >= MOST) {
            throw RefusedException.contradiction("there are " + MOST + " settings already");
        }
        return new Fact.Configured(asked.key(), asked.value(), version + 1);
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
