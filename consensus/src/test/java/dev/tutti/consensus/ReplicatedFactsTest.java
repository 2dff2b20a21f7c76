package dev.tutti.consensus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.cluster.coordinator.Fact;
import dev.tutti.cluster.journal.Journal;
import dev.tutti.json.Json;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReplicatedFactsTest {
    private final ReplicatedFacts facts = new ReplicatedFacts();

    private static Journal.Entry entry(long at) {
        return new Journal.Entry(at, List.of(new Fact.Configured("rate", "0." + at, at)));
    }

    private boolean apply(FactChange.Kind kind, String writer, Journal.Entry... entries) {
        // As it travels.
        return facts.apply(FactChange.of(new FactChange(kind, writer, List.of(entries)).toBytes()));
    }

    @Test
    void changesOfAnEarlierWriterDoNotCount() {
        apply(FactChange.Kind.OPEN, "first");
        assertThat(apply(FactChange.Kind.APPEND, "first", entry(1))).isTrue();
        apply(FactChange.Kind.OPEN, "second");
        assertThat(apply(FactChange.Kind.APPEND, "first", entry(2))).isFalse();
        assertThat(apply(FactChange.Kind.SUMMARY, "first", entry(2))).isFalse();
        assertThat(apply(FactChange.Kind.APPEND, "second", entry(3))).isTrue();
        assertThat(facts.entries()).containsExactly(entry(1), entry(3));
    }

    @Test
    void aSummaryTakesThePlaceOfAllBefore() {
        apply(FactChange.Kind.OPEN, "one");
        apply(FactChange.Kind.APPEND, "one", entry(1));
        apply(FactChange.Kind.APPEND, "one", entry(2));
        apply(FactChange.Kind.SUMMARY, "one", entry(9));
        apply(FactChange.Kind.APPEND, "one", entry(10));
        assertThat(facts.entries()).containsExactly(entry(9), entry(10));
    }

    @Test
    void anImageHoldsWriterAndFacts() {
        apply(FactChange.Kind.OPEN, "one");
        apply(FactChange.Kind.APPEND, "one", entry(1));
        ReplicatedFacts other = new ReplicatedFacts();
        other.restore(Json.read(Json.write(facts.image()), ReplicatedFacts.Image.class, "image"));
        assertThat(other.image()).isEqualTo(facts.image());
        assertThat(other.apply(new FactChange(FactChange.Kind.APPEND, "none", List.of(entry(2)))))
                .isFalse();
    }
}
