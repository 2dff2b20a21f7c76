package dev.tutti.strategy.ps;

import dev.tutti.comm.Team;
import dev.tutti.data.Dataset;
import dev.tutti.train.replica.Agreement;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The batch size, which may be set anew while training runs. All workers take it up at the beginning of the next epoch: an epoch under way
 * is divided by the old one.
 */
final class BatchSizeSetting {
    /** The setting's name. */
    static final String KEY = "batchSize";

    private static final Logger LOG = LoggerFactory.getLogger(BatchSizeSetting.class);

    private final Team team;
    private final Agreement agreement;
    private int epoch = -1; // the one that the size holds for
    private int size;

    BatchSizeSetting(Team team, Agreement agreement) {
        this.team = team;
        this.agreement = agreement;
    }

    /** The data in batches of the size that holds for an epoch, as the first worker knows it; all workers call it. */
    Dataset apply(Dataset data, int epochNumber) {
        int defined = data.batchSize().orElse(1);
        int before = epoch < 0 ? defined : size;
        size = Integer.parseInt(agreement.text("batch size", () -> Integer.toString(chosen(defined, epochNumber)), 0));
        epoch = epochNumber;
        if (size != before && team.group().isChief()) {
            LOG.info("batches have {} samples from epoch {} on; they had {}", size, epochNumber + 1, before);
        }
        return size == defined ? data : data.batch(size);
    }

    private int chosen(int defined, int epochNumber) {
        if (epoch == epochNumber) {
            return size;
        }
        int otherwise = epoch < 0 ? defined : size;
        String set = team.configuration().values().get(KEY);
        return set == null ? defined : parsed(set, otherwise);
    }

    private static int parsed(String set, int otherwise) {
        try {
            int samples = Integer.parseInt(set);
            if (samples >= 1) {
                return samples;
            }
        } catch (NumberFormatException e) {
            LOG.debug("no number", e);
        }
        LOG.warn("{}: expected a whole number of 1 or more, received '{}'; {} stays", KEY, set, otherwise);
        return otherwise;
    }
}
