package dev.tutti;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class NamePatternTest {
    @Test
    void aStarStandsForAnything() {
        assertThat(new NamePattern("encoder*").matches("encoder.block1.weight")).isTrue();
        assertThat(new NamePattern("*.bias").matches("encoder.block1.bias")).isTrue();
        assertThat(new NamePattern("*block*weight").matches("encoder.block1.weight"))
                .isTrue();
        assertThat(new NamePattern("encoder*").matches("head.encoder")).isFalse();
        assertThat(new NamePattern("a.c*").matches("abc")).as("a dot is a dot").isFalse();
    }

    @Test
    void withoutAStarItIsANameOrItsBeginning() {
        assertThat(new NamePattern("dense1").matches("dense1.weight")).isTrue();
        assertThat(new NamePattern("dense1").matches("dense10.weight")).isFalse();
        assertThatThrownBy(() -> new NamePattern(" ")).hasMessageContaining("encoder*");
    }
}
