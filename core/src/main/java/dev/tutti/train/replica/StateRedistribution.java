package dev.tutti.train.replica;

import dev.tutti.json.Json;
import dev.tutti.nn.Slice;
import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Gives every member of a new group the slices of a divided state that it needs, each from its newest holder. Only what a member does
 * not hold itself travels.
 */
public final class StateRedistribution {
    private final List<StateInventory> members;
    private final long version;
    private final List<SliceTransfer> transfers = new ArrayList<>();
    private final List<Slice> lost = new ArrayList<>();

    private StateRedistribution(List<StateInventory> members) {
        this.members = members;
        version = members.stream().mapToLong(StateInventory::agreed).max().orElse(0);
        List<List<Slice>> newest = held(version);
        for (int to = 0; to < members.size(); to++) {
            List<Integer> order = ownFirst(to);
            for (Slice slice : members.get(to).neededSlices()) {
                transfers.addAll(SliceTransfer.cover(slice, to, order, newest, lost));
            }
        }
    }

    private List<List<Slice>> held(long wanted) {
        return members.stream()
                .map(member -> member.version() == wanted ? member.heldSlices() : List.<Slice>of())
                .toList();
    }

    private List<Integer> ownFirst(int rank) {
        List<Integer> order = new ArrayList<>(List.of(rank));
        IntStream.range(0, members.size()).filter(other -> other != rank).forEach(order::add);
        return order;
    }

    /**
     * Redistributes a state; all members of the group call it. Does nothing for a state that is not divided.
     *
     * @throws StateLostException on all members, if no member holds a slice in the version that was agreed on; what they hold is as it was
     */
    public static void run(Agreement agreement, int rank, HeldState state) {
        if (!state.isDivided()) {
            return;
        }
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            String mine = Json.write(StateInventory.of(state));
            List<StateInventory> members = agreement.texts("parts of the state", mine).stream()
                    .map(text -> Json.read(text, StateInventory.class, "another member's parts of the state"))
                    .toList();
            if (members.stream().allMatch(member -> member.held().isEmpty())) {
                state.makeRoom(); // a state begins as zeros
                state.adopt(0);
                return;
            }
            StateRedistribution plan = new StateRedistribution(members);
            plan.requireAll();
            plan.transfer(agreement, rank, state);
            state.adopt(plan.version);
        }
    }

    private void requireAll() {
        if (lost.isEmpty()) {
            return;
        }
        List<List<Slice>> any = members.stream().map(StateInventory::heldSlices).toList();
        List<Slice> gone = new ArrayList<>();
        List<Integer> all = IntStream.range(0, members.size()).boxed().toList();
        lost.forEach(slice -> SliceTransfer.cover(slice, 0, all, any, gone));
        if (gone.isEmpty()) {
            throw new StateLostException(
                    "the state is divided among the members, and a step was cut off when some members had moved their"
                            + " part and others had not");
        }
        Slice first = gone.get(0);
        long elements = gone.stream()
                .distinct()
                .filter(slice -> slice.parameter().equals(first.parameter()))
                .mapToLong(slice -> slice.shape().size())
                .sum();
        throw new StateLostException("the state is divided among the members, and of the "
                + first.whole().size() + " elements of '" + first.parameter() + "' " + elements
                + " went with members that were lost: no other member holds them");
    }

    private void transfer(Agreement agreement, int rank, HeldState state) {
        Map<Slice, Tensor> held = state.held();
        Map<Slice, Tensor> room = state.makeRoom();
        for (SliceTransfer each : transfers) {
            Slice slice = each.slice();
            String what = "state: " + slice.parameter();
            if (each.from() == rank && each.to() == rank) {
                copy(within(held, slice), within(room, slice));
            } else if (each.from() == rank) {
                agreement.transfer(what, within(held, slice), each.from(), each.to());
            } else if (each.to() == rank) {
                agreement.transfer(what, within(room, slice), each.from(), each.to());
            }
        }
    }

    private static void copy(Tensor from, Tensor to) {
        if (!from.isSame(to)) {
            to.copy_(from);
        }
    }

    /** A view of a slice in one that contains it. */
    private static Tensor within(Map<Slice, Tensor> slices, Slice wanted) {
        for (Map.Entry<Slice, Tensor> each : slices.entrySet()) {
            Slice slice = each.getKey().along(wanted.axis());
            if (slice.parameter().equals(wanted.parameter())
                    && slice.axis() == wanted.axis()
                    && slice.rows().contains(wanted.rows())) {
                return slice.whole().rank() == 0 || slice.rows().equals(wanted.rows())
                        ? each.getValue()
                        : each.getValue()
                                .narrow(
                                        wanted.axis(),
                                        wanted.rows().from() - slice.rows().from(),
                                        wanted.rows().length());
            }
        }
        throw new IllegalStateException("no slice here contains " + wanted);
    }
}
