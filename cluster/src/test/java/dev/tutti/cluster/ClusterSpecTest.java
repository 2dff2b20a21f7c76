package dev.tutti.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.cluster.coordinator.MembershipRules;
import dev.tutti.json.ConfigException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a spec means, and that its mistakes are said in a sentence. */
@Timeout(30)
class ClusterSpecTest {
    private static final String HERE = "'worker': ['127.0.0.1:7070', 'localhost']";

    @Test
    void rulesAreThoseOfTheFirstWorkersSpec() {
        MembershipRules usual = spec(HERE, "").server().rules();
        assertThat(usual).isEqualTo(MembershipRules.of(2));
        MembershipRules rules = spec(
                        HERE, ", 'min': 2, 'ejectSlowerThan': 3, 'patience': {'collective': 120000, 'start': 5000}")
                .server()
                .rules();
        assertThat(rules.min()).isEqualTo(2);
        assertThat(rules.ejectSlowerThan()).isEqualTo(3);
        assertThat(rules.patience())
                .as("a meeting waits for as long as a call")
                .isEqualTo(usual.patience().with(Map.of("collective", 120_000L, "meeting", 120_000L, "start", 5_000L)));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "'certificate': 'a.pem'             | expected 'certificate' and 'key', received only 'certificate'",
                "'key': 'a.pem', 'trust': 'b.pem'   | expected 'certificate' and 'key', received only 'key'",
                "'min': 3                           | min: expected from 1 to 2, the most workers there may be, received 3",
                "'max': 0                           | max: expected at least 1 worker, received 0",
                "'workersPerProcess': 0             | workersPerProcess: expected at least 1, received 0",
                "'ejectSlowerThan': 0.5             | ejectSlowerThan: expected a factor above 1",
                "'patience': {'colective': 1}       | unknown time 'colective': did you mean 'collective'?",
                "'patience': {'collective': 0}      | collective: expected at least 1 ms, received 0",
                "'patience': {'collective': null}   | collective: expected milliseconds",
                "'patience': {'gone': 1000}         | expected heartbeat < unresponsive < gone, received 500 ms, 2000 ms, 1000 ms",
                "'patience': 5                      | patience",
                "'pacience': {}                     | did you mean 'patience'?",
            })
    void settingsThatCannotBeAreNamed(String setting, String message) {
        assertThatThrownBy(() -> spec(HERE, ", " + setting))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(message);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "'worker': []                             | cluster: expected at least one worker",
                "'worker': ['a:1'], 'coordinator': []     | expected addresses for the role 'coordinator', received []",
                "'worker': ['a:1', null]                  | expected addresses for the role 'worker', received [a:1, null]",
            })
    void rolesNeedAddresses(String cluster, String message) {
        assertThatThrownBy(() -> spec(cluster, ""))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(message);
    }

    @ParameterizedTest
    @CsvSource({"a", "a:", "a:x", "a:0", "a:70000"})
    void theCoordinatorsAddressNeedsAPort(String address) {
        assertThatThrownBy(() -> spec("'worker': ['" + address + "']", "").coordinator())
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("port")
                .hasMessageContaining("received '" + address + "'");
    }

    @Test
    void aTokenThatIsTooShortIsAMistakeInTheSpec() {
        ClusterSpec spec = ClusterSpec.of(
                Map.of(ClusterSpec.WORKER, List.of("localhost:7070")),
                new ClusterSpec.Task(ClusterSpec.WORKER, 0),
                "short");
        assertThatThrownBy(spec::server)
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("at least 16 plain characters");
    }

    @Test
    void aCoordinatorIsNoTask() {
        String cluster = "'coordinator': ['node-0:7070'], 'worker': ['node-1', 'node-2']";
        assertThatThrownBy(() -> parse(cluster, "coordinator", ""))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("received coordinator")
                .hasMessageContaining("./tutti coordinator --folder FOLDER --expected 2");
        assertThat(spec(cluster, "").runsCoordinator()).isFalse();
    }

    @Test
    void aCoordinatorThatOtherMachinesCannotReachIsRefused() {
        // 192.0.2.0/24 is nobody's; 127.0.1.1 is what Debian takes its own name for
        ClusterSpec lonely = spec("'worker': ['127.0.1.1:7070', '192.0.2.7', 'localhost']", ", 'plain': true");
        assertThatThrownBy(lonely::server)
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("would listen on 127.0.1.1, where [192.0.2.7] cannot reach it")
                .hasMessageContaining("expected an address of this machine in their network");
        assertThatThrownBy(spec("'worker': ['localhost:7070', '192.0.2.7:1']", ", 'plain': true")::server)
                .hasMessageContaining("localhost, which is 127.0.0.1 here, where [192.0.2.7]");
    }

    @Test
    void membersOfOneMachineMayUseItsLoopback() {
        assertThat(spec("'worker': ['127.0.1.1:7070', 'localhost', '127.0.0.1:9', '127.0.1.1']", "")
                        .server()
                        .host())
                .isEqualTo("127.0.1.1");
        assertThat(spec("'worker': ['0.0.0.0:7070', '192.0.2.7']", ", 'plain': true")
                        .server()
                        .host())
                .isEqualTo("0.0.0.0");
    }

    private static ClusterSpec spec(String cluster, String more) {
        return parse(cluster, "worker", more);
    }

    private static ClusterSpec parse(String cluster, String type, String more) {
        String text = "{'cluster': {" + cluster + "}, 'task': {'type': '" + type
                + "', 'index': 0}, 'token': '0123456789abcdef'" + more + "}";
        return ClusterSpec.parse(text.replace('\'', '"'), "test");
    }
}
