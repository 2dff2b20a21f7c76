package dev.tutti.app.input;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.tutti.FileKind;
import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.array.Shape;
import dev.tutti.json.Json;
import dev.tutti.nn.Input;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Reads arrays of numbers from JSON: one input, or a list of them. Axes of length 1 may be left out. */
public final class JsonInput {
    private final Shape expected;

    public JsonInput(Input input) {
        expected = input.shape();
    }

    public List<PredictionInput> read(Path file) {
        try (InputStream in = Files.newInputStream(FileKind.require(file))) {
            return read(in, file.toString());
        } catch (NoSuchFileException e) {
            throw new InputException(file.toString(), "there is no such file", e);
        } catch (IOException e) {
            throw new InputException(file.toString(), "cannot be read: " + e.getMessage(), e);
        }
    }

    public List<PredictionInput> read(InputStream in, String name) {
        JsonNode tree = parsed(in, name);
        List<Float> numbers = new ArrayList<>();
        List<Integer> extents = extents(tree, 0, new ArrayList<>(), numbers, name);
        int size = Math.toIntExact(expected.size());
        boolean many = !extents.isEmpty() && fits(extents.subList(1, extents.size()));
        if (!many && !fits(extents)) {
            throw new InputException(
                    name, "expected numbers of shape " + expected + " or a list of such, received shape " + extents);
        }
        List<PredictionInput> questions = new ArrayList<>();
        for (int at = 0; at < numbers.size(); at += size) {
            float[] row = new float[size];
            for (int i = 0; i < size; i++) {
                row[i] = numbers.get(at + i);
            }
            String label = numbers.size() == size ? name : name + " " + questions.size();
            questions.add(new PredictionInput(label, null, NdArray.wrap(DType.FLOAT32, expected, row)));
        }
        if (questions.isEmpty()) {
            throw new InputException(name, "holds no numbers");
        }
        return questions;
    }

    private static JsonNode parsed(InputStream in, String name) {
        try {
            return Json.json().readTree(in);
        } catch (JsonProcessingException e) {
            throw new InputException(
                    name, "is not JSON: line " + e.getLocation().getLineNr() + ": " + e.getOriginalMessage(), e);
        } catch (IOException e) {
            throw new InputException(name, "cannot be read: " + e.getMessage(), e);
        }
    }

    private static List<Integer> extents(
            JsonNode node, int depth, List<Integer> known, List<Float> numbers, String name) {
        if (node.isNumber()) {
            numbers.add(node.floatValue());
            if (depth != known.size()) {
                throw new InputException(name, "numbers stand beside lists: all rows must have the same shape");
            }
            return known;
        }
        if (!node.isArray()) {
            throw new InputException(
                    name,
                    "expected lists of numbers, received "
                            + node.getNodeType().name().toLowerCase(Locale.ROOT));
        }
        boolean first = numbers.isEmpty() && depth == known.size();
        if (first) {
            known.add(node.size());
        } else if (depth >= known.size() || known.get(depth) != node.size()) {
            throw new InputException(name, "rows of different lengths: all must have the same shape");
        }
        for (JsonNode element : node) {
            extents(element, depth + 1, known, numbers, name);
        }
        return known;
    }

    private boolean fits(List<Integer> extents) {
        List<Long> wanted = new ArrayList<>();
        for (long extent : expected.toArray()) {
            wanted.add(extent);
        }
        wanted.removeIf(extent -> extent == 1);
        return wanted.equals(extents.stream()
                .map(Integer::longValue)
                .filter(extent -> extent != 1)
                .toList());
    }
}
