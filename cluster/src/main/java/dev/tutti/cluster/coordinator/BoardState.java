package dev.tutti.cluster.coordinator;

import dev.tutti.cluster.coordinator.RefusedException.Kind;
import dev.tutti.cluster.journal.Journal;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The bulletin board of the present generation; the next one begins with an empty one. */
final class BoardState implements JournaledState {
    private static final int MOST = 100_000;

    private final Map<String, String> notes = new TreeMap<>();
    private long generation;

    /** Says whether a note goes up; empty if it is there already. */
    Optional<Fact.Posted> post(Event.Post asked) {
        Optional<String> there = read(asked.generation(), asked.name());
        if (there.isPresent()) {
            if (there.get().equals(asked.note())) {
                return Optional.empty(); // said again because the answer was lost
            }
            throw RefusedException.contradiction(
                    "there is a note '" + asked.name() + "' already; a name is used once in a generation");
        }
        TextLimits.requireShort("a note's name", asked.name());
        TextLimits.requireShort("the note '" + asked.name() + "'", asked.note());
        if (notes.size() >= MOST) {
            throw RefusedException.contradiction("there are " + MOST + " notes already");
        }
        return Optional.of(new Fact.Posted(asked.generation(), asked.name(), asked.note()));
    }

    /**
     * A note of a generation, if it is there.
     *
     * @throws RefusedException if the generation is not the present one
     */
    Optional<String> read(long ofGeneration, String name) {
        if (ofGeneration != generation) {
            throw new RefusedException(
                    Kind.OLD_GENERATION, "generation " + ofGeneration + " is over, the present one is " + generation);
        }
        return Optional.ofNullable(notes.get(name));
    }

    @Override
    public void enter(Fact fact, long at) {
        if (fact instanceof Fact.Formed formed) {
            generation = formed.generation();
            notes.clear();
        } else if (fact instanceof Fact.Posted posted) {
            notes.put(posted.name(), posted.note());
        }
    }

    @Override
    public List<Journal.Entry> summary(long now) {
        return notes.entrySet().stream()
                .map(note -> new Fact.Posted(generation, note.getKey(), note.getValue()))
                .map(posted -> new Journal.Entry(now, List.of(posted)))
                .toList();
    }

    @Override
    public String toString() {
        return "generation " + generation + " " + notes;
    }
}
