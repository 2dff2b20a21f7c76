package dev.tutti.spark;

import dev.tutti.data.Dataset;
import dev.tutti.data.source.SuppliedSource;
import dev.tutti.spark.launch.SessionPlace;
import org.apache.spark.sql.SparkSession;

/** A Spark session as a place to train: {@code epochs(3).on(TuttiSpark.on(spark))}. */
public final class TuttiSpark {
    private TuttiSpark() {}

    /** The cluster of a session. */
    public static SparkCluster on(SparkSession session) {
        return on(new SessionPlace(session));
    }

    /** The cluster of a session, with tables that members are fed from. */
    public static SparkCluster on(SessionPlace place) {
        return new SparkCluster().in(place);
    }

    /** The rows of a table of a place as data to train on, to validate with, or both. */
    public static Dataset rows(SessionPlace place, String table) {
        return Dataset.of(new SuppliedSource(table, Math.max(1, place.parts(table))));
    }
}
