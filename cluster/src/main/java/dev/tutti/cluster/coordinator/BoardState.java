package dev.tutti.cluster.coordinator;

import dev.tutti.cluster.coordinator.RefusedException.Kind;
import dev.tutti.cluster.journal.Journal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The bulletin board of the present generation of each role; the next one begins with an empty one. */
final class BoardState implements JournaledState {
    private static final int MOST = 100_000;

    private final Map<String, Board> boards = new TreeMap<>();

    /** The notes of one generation. */
    private record Board(long generation, Map<String, String> notes) {}

    private Board board(String role) {
        return boards.computeIfAbsent(role, name -> new Board(0, new TreeMap<>()));
    }

    /** Says whether a note goes up; empty if it is there already. */
    Optional<Fact.Posted> post(Event.Post asked, String role) {
        Optional<String> there = read(role, asked.generation(), asked.name());
        if (there.isPresent()) {
            if (there.get().equals(asked.note())) {
                return Optional.empty(); // said again because the answer was lost
            }
            throw RefusedException.contradiction(
                    "there is a note '" + asked.name() + "' already; a name is used once in a generation");
        }
        TextLimits.requireShort("a note's name", asked.name());
        TextLimits.requireShort("the note '" + asked.name() + "'", asked.note());
        if (board(role).notes.size() >= MOST) {
            throw RefusedException.contradiction("there are " + MOST + " notes already");
        }
        return Optional.of(new Fact.Posted(asked.generation(), asked.name(), asked.note(), role));
    }

    /**
     * A note of a generation, if it is there.
     *
     * @throws RefusedException if the generation is not the present one
     */
    Optional<String> read(String role, long generation, String name) {
        Board present = board(role);
        if (generation != present.generation) {
            throw new RefusedException(
                    Kind.OLD_GENERATION,
                    "generation " + generation + " is over, the present one is " + present.generation);
        }
        return Optional.ofNullable(present.notes.get(name));
    }

    @Override
    public void enter(Fact fact, long at) {
        if (fact instanceof Fact.Formed formed) {
            boards.put(formed.role(), new Board(formed.generation(), new TreeMap<>()));
        } else if (fact instanceof Fact.Posted posted) {
            board(posted.role()).notes.put(posted.name(), posted.note());
        }
    }

    @Override
    public List<Journal.Entry> summary(long now) {
        List<Journal.Entry> entries = new ArrayList<>();
        boards.forEach((role, board) -> board.notes.forEach((name, note) ->
                entries.add(new Journal.Entry(now, List.of(new Fact.Posted(board.generation, name, note, role))))));
        return entries;
    }

    @Override
    public String toString() {
        return boards.entrySet().stream()
                .filter(role -> role.getValue().generation > 0)
                .toList()
                .toString();
    }
}
