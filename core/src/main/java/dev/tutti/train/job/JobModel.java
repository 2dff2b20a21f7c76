package dev.tutti.train.job;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JsonDeserializer;
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
 */
@JsonDeserialize(using = JobModel.Reader.class)
@JsonSerialize(using = JobModel.Writer.class)
public record JobModel(Optional<Layer> definition, Optional<Path> saved) {
    /** A file is read at once, so that the job holds all it needs. */
    static JobModel at(String path) {
        return NamedDataset.isFile(path)
                ? new JobModel(Optional.of(Json.read(Path.of(path), Layer.class)), Optional.empty())
                : new JobModel(Optional.empty(), Optional.of(RunFolder.modelAt(Path.of(path))));
    }

    /** The TorchScript files of the model, whose code runs when it is built. */
    public List<Path> scripts() {
        return saved.isPresent() ? SavedModel.scripts(saved.get()) : ModuleFiles.of(definition.orElseThrow());
    }

    static final class Reader extends JsonDeserializer<JobModel> {
        @Override
        public JobModel deserialize(JsonParser parser, DeserializationContext context) throws IOException {
            return parser.hasToken(JsonToken.VALUE_STRING)
                    ? at(parser.getText())
                    : new JobModel(Optional.of(context.readValue(parser, Layer.class)), Optional.empty());
        }
    }

    static final class Writer extends JsonSerializer<JobModel> {
        @Override
        public void serialize(JobModel model, JsonGenerator out, SerializerProvider provider) throws IOException {
            Object written = model.saved.isPresent() ? model.saved.get().toString() : model.definition.orElseThrow();
            provider.defaultSerializeValue(written, out);
        }
    }
}
