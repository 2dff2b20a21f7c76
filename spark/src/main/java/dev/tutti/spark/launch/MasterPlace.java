package dev.tutti.spark.launch;

import dev.tutti.spark.SparkCluster;
import dev.tutti.spark.SparkPlace;
import dev.tutti.strategy.mapreduce.MapReduce;
import dev.tutti.train.History;
import dev.tutti.train.RemoteTraining;
import dev.tutti.train.TrainingException;
import java.util.List;
import org.apache.spark.sql.SparkSession;

/** Trains on the cluster of a master: in the active session if there is one, else in a session of its own. */
public final class MasterPlace implements SparkPlace {
    @Override
    public History train(SparkCluster settings, RemoteTraining training) {
        if (SparkSession.getActiveSession().isDefined()) {
            SparkSession active = SparkSession.active();
            requireMaster(settings, active.sparkContext().master());
            return train(settings, training, active, List.of());
        }
        SparkSession session = SessionSettings.of(settings).open();
        try {
            return train(settings, training, session, List.of());
        } finally {
            session.stop();
        }
    }

    private static void requireMaster(SparkCluster settings, String master) {
        if (!settings.master().isEmpty() && !settings.master().equals(master)) {
            throw new TrainingException("there is a session on " + master + ", and the training asks for "
                    + settings.master() + ": stop the session, or leave the master out");
        }
    }

    /** Trains in a session, on tables of it. */
    static History train(SparkCluster settings, RemoteTraining training, SparkSession session, List<FedTable> tables) {
        if (training.fit().strategy() instanceof MapReduce rounds) {
            return new RoundTraining(session.sparkContext(), settings, training, tables).run(rounds);
        }
        return new SparkTraining(session.sparkContext(), settings, training, tables).run();
    }
}
