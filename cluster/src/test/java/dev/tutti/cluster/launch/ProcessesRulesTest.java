package dev.tutti.cluster.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.cluster.coordinator.Timeouts;
import dev.tutti.json.ConfigException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What JVMs of this machine are asked for. */
class ProcessesRulesTest {
    @Test
    void aMeetingWaitsForAsLongAsACall() {
        Timeouts patient =
                new LocalProcesses(2).deadline(Duration.ofMinutes(2)).rules().patience();
        assertThat(patient.collective()).isEqualTo(120_000);
        assertThat(patient.meeting()).isEqualTo(120_000);
        Timeouts hasty =
                new LocalProcesses(2).deadline(Duration.ofSeconds(2)).rules().patience();
        assertThat(hasty.meeting()).isEqualTo(Timeouts.DEFAULT.meeting());
    }

    @Test
    void noTimeAtAllIsAMistakeOfTheUsers() {
        assertThatThrownBy(() -> new LocalProcesses(2).deadline(Duration.ZERO))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("collective: expected at least 1 ms, received 0");
    }
}
