package dev.tutti.train;

import dev.tutti.TuttiException;
import dev.tutti.comm.Configuration;
import dev.tutti.comm.Team;
import dev.tutti.json.Json;
import dev.tutti.optim.Optimizer;
import dev.tutti.train.replica.Agreement;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Settings that are changed while training runs. What the chief has heard of is taken up by all members before the same step: a
 * learning rate that only some of them follow would part their parameters.
 *
 * <p>Training itself follows {@value #LEARNING_RATE}; all others are for callbacks. What a checkpoint remembers holds until it is
 * set anew.
 */
public final class RuntimeSettings {
    /** The rate that the schedule scales, instead of the optimizer's own. */
    public static final String LEARNING_RATE = "learningRate";

    private static final Logger LOG = LoggerFactory.getLogger(RuntimeSettings.class);

    private final Team team;
    private final Agreement agreement;
    private final Optimizer asDefined;
    private Optimizer optimizer;
    private Map<String, String> restored = Map.of();
    private Configuration agreed = Configuration.NONE;

    RuntimeSettings(Team team, Agreement agreement, Optimizer optimizer) {
        this.team = team;
        this.agreement = agreement;
        this.asDefined = optimizer;
        this.optimizer = optimizer;
    }

    /**
     * Throws if a value is none for this setting; settings that are not training's own may be anything.
     *
     * @param value null takes the setting away
     */
    public static void check(String key, String value) {
        if (key.isBlank()) {
            throw new TuttiException("expected a setting's name and its value, such as learningRate=0.001");
        }
        if (key.equals(LEARNING_RATE) && value != null) {
            rate(value);
        }
    }

    private static double rate(String value) {
        try {
            double rate = Double.parseDouble(value);
            if (rate >= 0 && rate < Double.POSITIVE_INFINITY) {
                return rate;
            }
        } catch (NumberFormatException e) {
            LOG.debug("no number", e);
        }
        throw new TuttiException(LEARNING_RATE + ": expected a number of 0 or more, received '" + value + "'");
    }

    /** Changes a setting for all members. */
    void configure(String key, String value) {
        check(key, value);
        team.configure(key, value);
    }

    /** The optimizer, with what was changed about it. */
    Optimizer optimizer() {
        return optimizer;
    }

    /** All that was set. */
    public Map<String, String> settings() {
        return agreed.values();
    }

    boolean isChief() {
        return team.group().isChief();
    }

    /** Whether the chief has something to tell the others. */
    boolean isPending() {
        return team.group().isChief() && team.configuration().version() > agreed.version();
    }

    /** All members do as the chief has heard; all call it, between two steps. */
    void agree() {
        Configuration next = team.group().size() == 1 ? heard() : chiefs();
        double rate = optimizer.learningRate();
        restored = Map.of();
        agreed = next;
        follow();
        if (optimizer.learningRate() != rate && team.group().isChief()) {
            LOG.info("the learning rate is {} from here on; it was {}", optimizer.learningRate(), rate);
        }
    }

    private Configuration chiefs() {
        String text = agreement.text("settings", () -> Json.write(heard()), 0);
        return Json.read(text, Configuration.class, "the chief's settings");
    }

    /** What holds from here on, as far as the chief knows; settings that cannot be followed stay as they were. */
    private Configuration heard() {
        Configuration now = team.configuration();
        Map<String, String> values = new TreeMap<>(now.version() > agreed.version() ? now.values() : agreed.values());
        restored.forEach((key, value) -> {
            if (!now.values().containsKey(key)) {
                values.put(key, value);
                team.configure(key, value); // so that observers see it and can take it away
            }
        });
        try {
            check(LEARNING_RATE, values.get(LEARNING_RATE));
        } catch (TuttiException e) {
            LOG.warn("{}; it stays {}", e.getMessage(), optimizer.learningRate());
            String before = agreed.values().get(LEARNING_RATE);
            values.compute(LEARNING_RATE, (key, value) -> before);
        }
        return new Configuration(Math.max(now.version(), agreed.version()), values);
    }

    /** Goes on with the settings of a checkpoint, which the coordinator may not know of. */
    public void resume(Map<String, String> settings) {
        takeOver(settings);
        restored = settings;
    }

    /** Goes on with the settings of another member. */
    public void takeOver(Map<String, String> settings) {
        agreed = new Configuration(0, settings);
        follow();
    }

    private void follow() {
        String rate = agreed.values().get(LEARNING_RATE);
        optimizer = rate == null ? asDefined : asDefined.learningRate(rate(rate));
    }
}
