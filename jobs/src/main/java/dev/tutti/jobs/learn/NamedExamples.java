package dev.tutti.jobs.learn;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tutti.serve.ServeException;
import dev.tutti.serve.tensor.JsonTensorReader;
import dev.tutti.source.column.RowEncoder;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Rows of a table with their answers, as a request has them. */
final class NamedExamples {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final Set<String> KEYS = Set.of("rows", "answers");

    private NamedExamples() {}

    /**
     * The rows with each answer under the name of the label's column; columns that the model does not read are left out.
     *
     * @throws ServeException if rows and answers are not as many
     * @throws dev.tutti.data.DataException if a value or an answer does not fit its column
     */
    static List<Map<String, Object>> read(byte[] body, RowEncoder encoder) throws IOException {
        String label = encoder.label()
                .orElseThrow(() -> ServeException.invalid("the model has no column for the answer: it cannot learn"));
        JsonNode all;
        try (JsonParser parser = JsonTensorReader.open(body, 0, body.length)) {
            all = MAPPER.readTree(parser);
        }
        if (all == null || !all.path("rows").isArray() || !all.path("answers").isArray() || !known(all)) {
            throw LearnRest.expected();
        }
        JsonNode rows = all.get("rows");
        JsonNode answers = all.get("answers");
        if (rows.size() != answers.size() || rows.isEmpty() || rows.size() > LearnRest.MOST_ROWS) {
            throw ServeException.invalid("received " + rows.size() + " rows and " + answers.size()
                    + " answers: expected an answer for each of at most " + LearnRest.MOST_ROWS + " rows");
        }
        List<Map<String, Object>> examples = new ArrayList<>();
        for (int i = 0; i < rows.size(); i++) {
            examples.add(example(rows.get(i), answers.get(i), i, encoder, label));
        }
        encoder.labelled(examples); // what does not fit is refused before it is kept
        return examples;
    }

    private static boolean known(JsonNode all) {
        for (Iterator<String> names = all.fieldNames(); names.hasNext(); ) {
            if (!KEYS.contains(names.next())) {
                return false;
            }
        }
        return true;
    }

    private static Map<String, Object> example(
            JsonNode row, JsonNode answer, int number, RowEncoder encoder, String label) {
        if (!row.isObject()) {
            throw ServeException.invalid("row " + number + ": expected an object with the columns "
                    + String.join(", ", encoder.inputs()) + ", received a " + row.getNodeType());
        }
        if (!answer.isValueNode() || answer.isNull()) {
            throw ServeException.invalid("answer " + number + ": expected a value of the column '" + label + "'");
        }
        Map<String, Object> given = MAPPER.convertValue(row, new TypeReference<>() {});
        if (given.keySet().stream().noneMatch(encoder.inputs()::contains)) {
            throw ServeException.invalid("row " + number + " has none of the columns "
                    + String.join(", ", encoder.inputs()) + ": received " + given.keySet());
        }
        Map<String, Object> example = new LinkedHashMap<>();
        encoder.inputs().forEach(column -> example.put(column, given.get(column)));
        example.put(label, MAPPER.convertValue(answer, Object.class));
        return example;
    }
}
