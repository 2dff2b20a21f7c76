package dev.tutti.app.command;

import dev.tutti.app.UsageException;
import dev.tutti.cluster.coordinator.MembershipRules;
import dev.tutti.json.ConfigException;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Option;

/** For whom and how long members wait, where a command runs their coordinator. */
final class WaitOptions {
    @Option(
            names = "--eject-slower-than",
            paramLabel = "FACTOR",
            defaultValue = "0",
            description = "Send workers away that take so many times as long as the others.")
    private double ejectSlowerThan;

    @Option(
            names = "--patience",
            paramLabel = "NAME=MILLIS",
            description = "How long is waited for what, such as collective=120000; docs/cluster.md has the names.")
    private Map<String, Long> patience = new LinkedHashMap<>();

    /** Rules with what was said. */
    MembershipRules in(MembershipRules rules) {
        try {
            return rules.ejectSlowerThan(ejectSlowerThan)
                    .patience(rules.patience().with(patience));
        } catch (ConfigException e) {
            throw new UsageException(e.getMessage());
        }
    }

    /** The same for a coordinator that cannot be started again: its silence is treated like a member's, unless set otherwise. */
    MembershipRules inDriver(MembershipRules rules) {
        MembershipRules said = in(rules);
        return in(said.patience(said.patience().coordinatorInDriver()));
    }
}
