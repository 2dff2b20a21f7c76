package dev.tutti.train.job;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import dev.tutti.data.Dataset;
import java.io.IOException;
import java.util.Optional;

/**
 * What a job learns from and what it is measured by: each a recipe, a file that holds one, or the name of a built-in dataset.
 * {@code data: mnist} stands for both parts of one.
 */
@JsonInclude(JsonInclude.Include.NON_DEFAULT)
public final class JobData {
    @JsonDeserialize(using = Train.class)
    private Dataset train;

    @JsonDeserialize(using = Validation.class)
    private Dataset validation;

    private JobData() {}

    @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
    static JobData named(String name) {
        JobData data = new JobData();
        data.train = NamedDataset.read(name, NamedDataset.Part.TRAIN);
        data.validation = NamedDataset.isName(name) ? NamedDataset.read(name, NamedDataset.Part.TEST) : data.validation;
        return data;
    }

    /** Whether it says which rows to learn from. */
    public boolean hasTrain() {
        return train != null;
    }

    /**
     * The rows to learn from.
     *
     * @throws IllegalStateException if they were left out
     */
    public Dataset train() {
        if (train == null) {
            throw new IllegalStateException("the data has no rows to learn from: see hasTrain()");
        }
        return train;
    }

    /** The rows that are looked at after each epoch. */
    public Optional<Dataset> validation() {
        return Optional.ofNullable(validation);
    }

    private static final class Train extends NameOrRecipe {
        Train() {
            super(NamedDataset.Part.TRAIN);
        }
    }

    private static final class Validation extends NameOrRecipe {
        Validation() {
            super(NamedDataset.Part.TEST);
        }
    }

    private abstract static class NameOrRecipe extends JsonDeserializer<Dataset> {
        private final NamedDataset.Part part;

        NameOrRecipe(NamedDataset.Part part) {
            this.part = part;
        }

        @Override
        public Dataset deserialize(JsonParser parser, DeserializationContext context) throws IOException {
            return parser.hasToken(JsonToken.VALUE_STRING)
                    ? NamedDataset.read(parser.getText(), part)
                    : context.readValue(parser, Dataset.class);
        }
    }
}
