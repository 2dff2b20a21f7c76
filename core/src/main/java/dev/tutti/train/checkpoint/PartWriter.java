package dev.tutti.train.checkpoint;

import dev.tutti.TuttiException;
import dev.tutti.array.DType;
import dev.tutti.comm.Team;
import dev.tutti.io.FileException;
import dev.tutti.io.Temporary;
import dev.tutti.json.Json;
import dev.tutti.nn.Slice;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import dev.tutti.train.replica.Agreement;
import dev.tutti.train.replica.StateInventory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * Writes a checkpoint, or the weights of a saved model, together with the other members. Members that do not see the chief's folder send
 * their part to the chief, which writes it into its own.
 */
final class PartWriter {
    private final Team team;
    private final Agreement agreement;
    private final StateSnapshot state;
    private final CheckpointSession.Order order;
    private final Path folder;

    PartWriter(Team team, Agreement agreement, StateSnapshot state, CheckpointSession.Order order) {
        this.team = team;
        this.agreement = agreement;
        this.state = state;
        this.order = order;
        folder = Path.of(order.folder());
    }

    static String newName() {
        return UUID.randomUUID().toString().substring(0, 8);
    }

    /** What a member can write. */
    record Offer(boolean seesFolder, List<StateInventory.Entry> held, Map<String, DType> types) {
        List<Slice> slices() {
            return held.stream().map(StateInventory.Entry::slice).toList();
        }
    }

    /** What came of it on a member: a part, or an error; neither where it wrote nothing. */
    private record Written(SlicedTensors.Part part, String error) {}

    /**
     * Writes this member's part, and on the chief what names the parts: the manifest of a checkpoint, the index of weights.
     *
     * @return what names the parts
     * @throws FileException on the chief, if a part could not be written; nothing names the others then
     */
    Path write() {
        Path table = order.model()
                ? folder.resolve(SavedWeights.INDEX)
                : new CheckpointFolder(folder).manifest(order.step());
        Path sign = folder.resolve(".seen." + order.writing());
        boolean chief = team.group().isChief();
        String error = chief ? leave(sign) : null;
        try (Scope scope = Scope.open()) {
            agreement.barrier("folder of the " + what());
            Map<Slice, Tensor> held = order.model() ? state.weights() : state.held();
            Offer mine = offer(chief || Files.exists(sign), held);
            List<Offer> offers = agreement.texts("parts of the " + what(), Json.write(mine)).stream()
                    .map(text -> Json.read(text, Offer.class, "another member's offer"))
                    .toList();
            PartAssignment assignment = new PartAssignment(offers);
            Map<Slice, Tensor> own = collect(assignment, held, offers);
            Written written = own.isEmpty() ? new Written(null, error) : write(own, error);
            List<Written> all = agreement.texts("parts that were written", Json.write(written)).stream()
                    .map(text -> Json.read(text, Written.class, "another member's part"))
                    .toList();
            if (chief) {
                finish(table, all);
            }
        } finally {
            if (chief) {
                remove(sign);
            }
        }
        return table;
    }

    private String what() {
        return order.model() ? "model" : "checkpoint";
    }

    private static String leave(Path sign) {
        try {
            Files.createDirectories(sign.getParent());
            Files.writeString(sign, "");
            return null;
        } catch (IOException e) {
            return sign.getParent() + ": cannot be written: " + e.getMessage();
        }
    }

    private static void remove(Path sign) {
        try {
            Files.deleteIfExists(sign);
        } catch (IOException e) {
            // an empty hidden file is of no harm
        }
    }

    private static Offer offer(boolean seesFolder, Map<Slice, Tensor> held) {
        Map<String, DType> types = new LinkedHashMap<>();
        held.forEach((slice, tensor) -> types.put(slice.parameter(), tensor.type()));
        return new Offer(
                seesFolder, held.keySet().stream().map(StateInventory.Entry::of).toList(), types);
    }

    /** What this member writes: its own slices, and on the chief also those of members that do not see the folder. */
    private Map<Slice, Tensor> collect(PartAssignment assignment, Map<Slice, Tensor> held, List<Offer> offers) {
        int self = team.group().rank();
        Map<Slice, Tensor> own = new LinkedHashMap<>();
        assignment.forEach((slice, holder, writer) -> {
            String what = what() + ": " + slice.parameter();
            if (holder == self && writer == self) {
                own.put(slice, held.get(slice));
            } else if (holder == self) {
                agreement.transfer(what, held.get(slice), holder, writer);
            } else if (writer == self) {
                DType type = offers.get(holder).types().get(slice.parameter());
                Tensor room = Tensor.empty(slice.shape(), type);
                agreement.transfer(what, room, holder, writer);
                own.put(slice, room);
            }
        });
        return own;
    }

    private Written write(Map<Slice, Tensor> own, String error) {
        if (error != null) {
            return new Written(null, error);
        }
        int rank = team.group().rank();
        Path file = order.model()
                ? SavedWeights.part(folder, rank, team.group().size())
                : new CheckpointFolder(folder).part(order.step(), order.writing(), rank);
        try {
            String checksum = SlicedTensors.write(file, own);
            return new Written(new SlicedTensors.Part(file.getFileName().toString(), Files.size(file), checksum), null);
        } catch (TuttiException | IOException e) {
            return new Written(null, e.getMessage());
        }
    }

    private void finish(Path table, List<Written> all) {
        List<SlicedTensors.Part> parts = new ArrayList<>();
        for (int rank = 0; rank < all.size(); rank++) {
            Written written = all.get(rank);
            if (written.error != null) {
                FileException failure = new FileException(
                        table.toString(),
                        "the part of " + team.group().members().get(rank) + " was not written: " + written.error);
                all.stream()
                        .filter(each -> each.part != null)
                        .forEach(each -> Temporary.deleteAfter(failure, folder.resolve(each.part.file())));
                throw failure;
            }
            if (written.part != null) {
                parts.add(written.part);
            }
        }
        if (order.model()) {
            SavedWeights.index(folder, parts);
        } else {
            new CheckpointManifest(state.message().progress(), parts).write(table);
        }
    }
}
