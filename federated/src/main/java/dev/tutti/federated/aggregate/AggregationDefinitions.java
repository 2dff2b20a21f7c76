package dev.tutti.federated.aggregate;

import dev.tutti.json.Definitions;
import java.util.Map;

/** The names that aggregations have in files. */
public final class AggregationDefinitions implements Definitions {
    @Override
    public Map<Class<?>, String> named() {
        return Map.ofEntries(
                Map.entry(FedAvg.class, "fedAvg"),
                Map.entry(FedAvgM.class, "fedAvgM"),
                Map.entry(FedAdam.class, "fedAdam"),
                Map.entry(FedAdagrad.class, "fedAdagrad"),
                Map.entry(FedYogi.class, "fedYogi"),
                Map.entry(FedProx.class, "fedProx"),
                Map.entry(Scaffold.class, "scaffold"),
                Map.entry(QFedAvg.class, "qFedAvg"),
                Map.entry(CoordinateMedian.class, "median"),
                Map.entry(TrimmedMean.class, "trimmedMean"),
                Map.entry(Krum.class, "krum"),
                Map.entry(Bulyan.class, "bulyan"),
                Map.entry(LocalStatisticsMean.class, "localStatistics"),
                Map.entry(FedBuff.class, "fedBuff"));
    }
}
