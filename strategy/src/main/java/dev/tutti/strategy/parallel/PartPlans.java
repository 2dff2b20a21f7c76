package dev.tutti.strategy.parallel;

import dev.tutti.DidYouMean;
import dev.tutti.array.Range;
import dev.tutti.nn.ModelPlan;
import dev.tutti.nn.TensorSplit;
import dev.tutti.strategy.parallel.pipeline.LayerCosts;
import dev.tutti.strategy.parallel.pipeline.StageBalance;
import dev.tutti.train.TrainingException;
import java.util.ArrayList;
import java.util.List;

/**
 * Which layers and slices each place of a grid holds.
 *
 * @param cuts the first layers of all parts of the model but the first, by number
 */
public record PartPlans(Parallel strategy, ModelPlan whole, Grid grid, List<Integer> cuts) {
    /** Rows of the batch that layers are measured with. */
    private static final int PROFILE_ROWS = 16;

    public PartPlans {
        cuts = List.copyOf(cuts);
    }

    /** Parts that the layers of a model are cut into. */
    public static int parts(Parallel strategy, Grid grid) {
        return grid.pipeline() * (grid.pipeline() == 1 ? 1 : strategy.chunkCount());
    }

    /**
     * Where parts begin: as the strategy says, else balanced by measured cost. Members measure differently, so one of them decides for all.
     *
     * @throws TrainingException if a name is not one of the model's, or there are fewer layers than parts
     */
    public static List<Integer> findCuts(Parallel strategy, ModelPlan whole, Grid grid) {
        TensorSplit.requireUsed(whole, strategy.split());
        int parts = parts(strategy, grid);
        if (parts == 1) {
            return List.of();
        }
        List<String> layers = whole.layers();
        if (strategy.stages().isEmpty() || strategy.stages().size() != parts - 1) {
            if (!strategy.stages().isEmpty()
                    && grid.pipeline() == strategy.grid(1).pipeline()) {
                throw new TrainingException("parallel: stages: expected the first layers of " + (parts - 1)
                        + " stages behind the first one, received " + strategy.stages());
            }
            StageBalance.cuts(LayerCosts.parameters(whole), parts); // refuses what cannot be cut before it is measured
            return StageBalance.cuts(LayerCosts.measure(whole, PROFILE_ROWS), parts);
        }
        List<Integer> cuts = new ArrayList<>();
        int before = 0;
        for (String name : strategy.stages()) {
            int at = layers.indexOf(name);
            if (at < 0) {
                throw new TrainingException(
                        "parallel: stages: the model has no layer '" + name + "'" + DidYouMean.hint(name, layers));
            }
            if (at <= before) {
                throw new TrainingException(
                        "parallel: stages: expected layers in the order of the model, none the first: " + layers
                                + ", received " + strategy.stages());
            }
            cuts.add(at);
            before = at;
        }
        return cuts;
    }

    /** How many parts there are. */
    public int parts() {
        return cuts.size() + 1;
    }

    /** The layers of a part. */
    public Range layers(int part) {
        int from = part == 0 ? 0 : cuts.get(part - 1);
        int to = part == cuts.size() ? whole.layers().size() : cuts.get(part);
        return Range.between(from, to);
    }

    /** What a place of the grid holds: the parts of its stage, and of them its slices. */
    public ModelPlan of(int place) {
        int stage = grid.stage(place);
        List<ModelPlan> chunks = new ArrayList<>();
        for (int part = stage; part < parts(); part += grid.pipeline()) {
            chunks.add(chunk(part, grid.slice(place)));
        }
        return ModelPlan.together(chunks);
    }

    /** A slice of a part. */
    public ModelPlan chunk(int part, int slice) {
        ModelPlan layers = parts() == 1 ? whole : whole.part(layers(part));
        return grid.tensor() == 1 ? layers : TensorSplit.of(layers, slice, grid.tensor(), strategy.split());
    }
}
