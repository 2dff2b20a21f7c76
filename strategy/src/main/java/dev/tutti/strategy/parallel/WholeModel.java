package dev.tutti.strategy.parallel;

import dev.tutti.MachineMemory;
import dev.tutti.nn.Model;
import dev.tutti.nn.ModelPlan;
import dev.tutti.nn.Slice;
import dev.tutti.tensor.Tensor;
import dev.tutti.train.replica.Agreement;
import dev.tutti.train.replica.HeldState;
import dev.tutti.train.replica.StateRedistribution;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Brings the parts of a trained model together on the first member, where the whole fits into its memory. */
final class WholeModel {
    private static final Logger LOG = LoggerFactory.getLogger(WholeModel.class);

    /** A whole model may take so much of a machine's memory: the parts are still there. */
    private static final double SHARE = 0.25;

    /** And so much of what a limit of the process leaves: arriving slices need room as well. */
    private static final double SHARE_OF_REST = 0.5;

    private WholeModel() {}

    /**
     * Gathers the model; all members call it.
     *
     * @return the whole model on the first member, if it fits; else the part, which is left as it is
     */
    static Model gather(Model part, Agreement agreement, int rank) {
        if (part.plan().isWhole()) {
            return part;
        }
        ModelPlan whole = part.plan().whole();
        boolean fits =
                Boolean.parseBoolean(agreement.text("does the whole model fit", () -> String.valueOf(fits(whole)), 0));
        if (!fits) {
            if (rank == 0) {
                LOG.info(
                        "the whole model takes {} bytes, more than this member has room for: it stays in parts, which are"
                                + " saved by checkpoints and by the callback finalModel",
                        whole.bytes());
            }
            return part;
        }
        if (rank > 0) {
            StateRedistribution.run(agreement, rank, new Gathering(part, null));
            return part;
        }
        Model all = whole.build();
        try {
            StateRedistribution.run(agreement, rank, new Gathering(part, all));
        } catch (RuntimeException e) {
            all.close();
            throw e;
        }
        all.freezeOnly(part.frozenInWhole());
        part.close();
        return all;
    }

    private static boolean fits(ModelPlan whole) {
        return whole.bytes() <= MachineMemory.bytes().orElse(Long.MAX_VALUE) * SHARE
                && whole.bytes() <= MachineMemory.left().orElse(Long.MAX_VALUE) * SHARE_OF_REST;
    }

    /** @param all null on members that gather nothing */
    private record Gathering(Model part, Model all) implements HeldState {
        @Override
        public boolean isDivided() {
            return true;
        }

        @Override
        public Map<Slice, Tensor> held() {
            return part.held();
        }

        @Override
        public long version() {
            return 0;
        }

        @Override
        public long agreed() {
            return 0;
        }

        @Override
        public List<Slice> needed() {
            return List.copyOf(makeRoom().keySet());
        }

        @Override
        public Map<Slice, Tensor> makeRoom() {
            return all == null ? Map.of() : all.held();
        }

        @Override
        public void adopt(long version) {}
    }
}
