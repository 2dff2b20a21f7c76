package dev.tutti.train.job;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonInclude;
import dev.tutti.json.ConfigException;
import dev.tutti.nn.Layer;
import dev.tutti.train.checkpoint.SavedModel;
import dev.tutti.train.transfer.TransferGraph;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * A model of a job that stands on a trained one: {@code {base: models/minilm, until: pooled, head: [{type: dense, units: 2}]}}. The
 * trained layers are called {@code encoder}.
 */
@JsonInclude(JsonInclude.Include.NON_DEFAULT)
final class JobBase {
    private String base;
    private String until;

    @JsonFormat(with = JsonFormat.Feature.ACCEPT_SINGLE_VALUE_AS_ARRAY)
    private List<Layer> head = List.of();

    private JobBase() {}

    Path saved() {
        return RunFolder.modelAt(Path.of(base));
    }

    Layer definition() {
        if (head.isEmpty()) {
            throw new ConfigException("model: expected 'head', the layers behind those of " + base);
        }
        return TransferGraph.definition(SavedModel.definition(saved()), Optional.ofNullable(until), head);
    }

    /** The same on another trained model. */
    JobBase on(Path other) {
        JobBase changed = new JobBase();
        changed.base = other.toString();
        changed.until = until;
        changed.head = head;
        return changed;
    }
}
