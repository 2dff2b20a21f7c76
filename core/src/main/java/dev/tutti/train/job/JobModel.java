package dev.tutti.train.job;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.JsonSerializer;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import com.fasterxml.jackson.databind.annotation.JsonSerialize;
import dev.tutti.io.ModuleFiles;
import dev.tutti.json.Json;
import dev.tutti.nn.Layer;
import dev.tutti.train.checkpoint.SavedModel;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * What a job trains: a definition, written out or in a file of its own, or a saved model that learns on.
 *
 * @param definition the layers, for a model that begins at its first parameters
 * @param saved the folder of a saved model, or of a run that made one
 * @param base the trained model that the definition begins with, where it does
 */
@JsonDeserialize(using = JobModel.Reader.class)
@JsonSerialize(using = JobModel.Writer.class)
public record JobModel(Optional<Layer> definition, Optional<Path> saved, Optional<JobBase> base) {
    /** A file is read at once, so that the job holds all it needs. */
    static JobModel at(String path) {
        return NamedDataset.isFile(path)
                ? new JobModel(Optional.of(Json.read(Path.of(path), Layer.class)), Optional.empty(), Optional.empty())
                : new JobModel(Optional.empty(), Optional.of(RunFolder.modelAt(Path.of(path))), Optional.empty());
    }

    static JobModel on(JobBase base) {
        return new JobModel(Optional.of(base.definition()), Optional.empty(), Optional.of(base));
    }

    /** Whether the model stands on a trained one that another one can take the place of. */
    public boolean hasBase() {
        return base.isPresent();
    }

    /** Whether a saved model has another definition than this one, which is written out in the job. */
    public boolean isOther(Path other) {
        return definition.isPresent() && !Json.tree(definition.get()).equals(Json.tree(SavedModel.definition(other)));
    }

    /** The folder of the trained model that this one stands on. */
    public Optional<Path> baseFolder() {
        return base.map(JobBase::saved);
    }

    /** The TorchScript files of the model, whose code runs when it is built. */
    public List<Path> scripts() {
        return saved.isPresent() ? SavedModel.scripts(saved.get()) : ModuleFiles.of(definition.orElseThrow());
    }

    static final class Reader extends JsonDeserializer<JobModel> {
        @Override
        public JobModel deserialize(JsonParser parser, DeserializationContext context) throws IOException {
            if (parser.hasToken(JsonToken.VALUE_STRING)) {
                return at(parser.getText());
            }
            JsonNode tree = context.readTree(parser);
            if (tree.has("base")) {
                return on(context.readTreeAsValue(tree, JobBase.class));
            }
            return new JobModel(
                    Optional.of(context.readTreeAsValue(tree, Layer.class)), Optional.empty(), Optional.empty());
        }
    }

    static final class Writer extends JsonSerializer<JobModel> {
        @Override
        public void serialize(JobModel model, JsonGenerator out, SerializerProvider provider) throws IOException {
            Object written = model.base.isPresent()
                    ? model.base.get()
                    : model.saved.isPresent() ? model.saved.get().toString() : model.definition.orElseThrow();
            provider.defaultSerializeValue(written, out);
        }
    }
}
