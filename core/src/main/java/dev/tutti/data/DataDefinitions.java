package dev.tutti.data;

import dev.tutti.data.source.IdxSource;
import dev.tutti.data.source.MnistSource;
import dev.tutti.data.source.SuppliedSource;
import dev.tutti.data.stage.CacheStage;
import dev.tutti.data.stage.FilterStage;
import dev.tutti.data.stage.MapStage;
import dev.tutti.data.stage.MixStage;
import dev.tutti.data.stage.RandomMapStage;
import dev.tutti.data.stage.RepeatStage;
import dev.tutti.data.stage.ShardStage;
import dev.tutti.data.stage.ShuffleStage;
import dev.tutti.data.stage.SkipStage;
import dev.tutti.data.stage.SplitStage;
import dev.tutti.data.stage.StripeStage;
import dev.tutti.data.stage.TakeStage;
import dev.tutti.data.transform.Cast;
import dev.tutti.data.transform.FlattenTransform;
import dev.tutti.data.transform.LabelFilter;
import dev.tutti.data.transform.Normalize;
import dev.tutti.data.transform.OneHot;
import dev.tutti.data.transform.RandomFlip;
import dev.tutti.data.transform.RandomShift;
import dev.tutti.data.transform.Relabel;
import dev.tutti.data.transform.ReshapeTransform;
import dev.tutti.data.transform.Scale;
import dev.tutti.json.Definitions;
import java.util.Map;

/** The names that sources, stages, transforms and filters have in files. */
public final class DataDefinitions implements Definitions {
    @Override
    public Map<Class<?>, String> named() {
        return Map.ofEntries(
                Map.entry(RandomShift.class, "randomShift"),
                Map.entry(RandomFlip.class, "randomFlip"),
                Map.entry(LabelFilter.class, "labels"),
                Map.entry(IdxSource.class, "idx"),
                Map.entry(MnistSource.class, "mnist"),
                Map.entry(SuppliedSource.class, "supplied"),
                Map.entry(MapStage.class, "map"),
                Map.entry(RandomMapStage.class, "randomMap"),
                Map.entry(FilterStage.class, "filter"),
                Map.entry(ShuffleStage.class, "shuffle"),
                Map.entry(MixStage.class, "mix"),
                Map.entry(Relabel.class, "relabel"),
                Map.entry(TakeStage.class, "take"),
                Map.entry(SkipStage.class, "skip"),
                Map.entry(ShardStage.class, "shard"),
                Map.entry(StripeStage.class, "stripe"),
                Map.entry(SplitStage.class, "split"),
                Map.entry(RepeatStage.class, "repeat"),
                Map.entry(CacheStage.class, "cache"),
                Map.entry(Scale.class, "scale"),
                Map.entry(Normalize.class, "normalize"),
                Map.entry(Cast.class, "cast"),
                Map.entry(ReshapeTransform.class, "reshape"),
                Map.entry(FlattenTransform.class, "flatten"),
                Map.entry(OneHot.class, "oneHot"));
    }
}
