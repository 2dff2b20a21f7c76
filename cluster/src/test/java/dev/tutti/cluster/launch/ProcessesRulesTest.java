package dev.tutti.cluster.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.cluster.coordinator.Patience;
import dev.tutti.json.ConfigException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What JVMs of this machine are asked for. */
class ProcessesRulesTest {
    @Test
    void aMeetingWaitsForAsLongAsACall() {
        Patience patient =
                new Processes(2).deadline(Duration.ofMinutes(2)).rules().patience();
        assertThat(patient.collective()).isEqualTo(120_000);
        assertThat(patient.meeting()).isEqualTo(120_000);
        Patience hasty =
                new Processes(2).deadline(Duration.ofSeconds(2)).rules().patience();
        assertThat(hasty.meeting()).isEqualTo(Patience.DEFAULT.meeting());
    }

    @Test
    void noTimeAtAllIsAMistakeOfTheUsers() {
        assertThatThrownBy(() -> new Processes(2).deadline(Duration.ZERO))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("collective: expected at least 1 ms, received 0");
    }
}
