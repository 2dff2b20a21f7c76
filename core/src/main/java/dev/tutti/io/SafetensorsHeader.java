package dev.tutti.io;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tutti.array.NdArray;
import dev.tutti.array.Shape;
import dev.tutti.json.Json;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The JSON at the front of a safetensors file, checked: arrays lie one behind the other without gaps.
 *
 * @param entries in the order of the header
 */
record SafetensorsHeader(List<Entry> entries, Map<String, String> metadata) {
    static final String METADATA = "__metadata__";

    /** One array: its bytes lie from {@code begin} to {@code end}, counted from the end of the header. */
    record Entry(String name, ElementType type, Shape shape, long begin, long end) {}

    /** What an array is made of, before it has a place in a file. */
    record Content(ElementType type, Shape shape) {
        long bytes() {
            return Math.multiplyExact(shape.size(), (long) type.bytes());
        }
    }

    static SafetensorsHeader layOut(Map<String, NdArray> arrays, Map<String, String> metadata) {
        Map<String, Content> contents = new LinkedHashMap<>();
        arrays.forEach((name, array) -> contents.put(name, new Content(ElementType.of(array.type()), array.shape())));
        return layOutContents(contents, metadata);
    }

    /**
     * Lays out arrays: the widest elements first, so that each array is aligned for readers that map the file into
     * memory. The header keeps the order of the map.
     */
    static SafetensorsHeader layOutContents(Map<String, Content> contents, Map<String, String> metadata) {
        List<String> byWidth = new ArrayList<>(contents.keySet());
        byWidth.sort(Comparator.comparingInt(name -> -contents.get(name).type().bytes()));
        Map<String, Long> begins = new LinkedHashMap<>();
        long end = 0;
        for (String name : byWidth) {
            begins.put(name, end);
            end += contents.get(name).bytes();
        }
        List<Entry> entries = new ArrayList<>();
        contents.forEach((name, content) -> {
            long begin = begins.get(name);
            entries.add(new Entry(name, content.type(), content.shape(), begin, begin + content.bytes()));
        });
        return new SafetensorsHeader(entries, metadata);
    }

    /** The entries in the order in which their bytes lie in the file. */
    List<Entry> inFileOrder() {
        return entries.stream()
                .sorted(Comparator.comparingLong(Entry::begin).thenComparingLong(Entry::end))
                .toList();
    }

    /** Bytes of all arrays together. */
    long dataBytes() {
        return entries.stream().mapToLong(Entry::end).max().orElse(0);
    }

    /** The header as it stands in the file, filled up with spaces to a multiple of 8. */
    byte[] toBytes() {
        ObjectNode root = Json.json().createObjectNode();
        if (!metadata.isEmpty()) {
            ObjectNode node = root.putObject(METADATA);
            metadata.forEach(node::put);
        }
        for (Entry entry : entries) {
            ObjectNode node = root.putObject(entry.name);
            node.put("dtype", entry.type.name());
            ArrayNode dims = node.putArray("shape");
            Arrays.stream(entry.shape.toArray()).forEach(dims::add);
            node.putArray("data_offsets").add(entry.begin).add(entry.end);
        }
        ObjectWriter compact = Json.json().writer().without(SerializationFeature.INDENT_OUTPUT);
        try {
            byte[] json = compact.writeValueAsBytes(root);
            byte[] padded = Arrays.copyOf(json, (json.length + 7) / 8 * 8);
            Arrays.fill(padded, json.length, padded.length, (byte) ' ');
            return padded;
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a tree of names and numbers can always be written", e);
        }
    }

    static SafetensorsHeader parse(byte[] bytes, String file) {
        JsonNode root;
        try {
            root = Json.json().readTree(bytes);
        } catch (IOException e) {
            String reason = e instanceof JsonProcessingException json ? json.getOriginalMessage() : e.getMessage();
            throw new CorruptFileException(file, "the safetensors header is no JSON: " + reason, e);
        }
        if (bytes.length == 0 || bytes[0] != '{' || !root.isObject()) {
            throw new CorruptFileException(file, "the safetensors header is no JSON object");
        }
        List<Entry> entries = new ArrayList<>();
        Map<String, String> metadata = new LinkedHashMap<>();
        root.properties().forEach(field -> {
            if (field.getKey().equals(METADATA)) {
                readMetadata(field.getValue(), metadata, file);
            } else {
                entries.add(entry(field.getKey(), field.getValue(), file));
            }
        });
        SafetensorsHeader header = new SafetensorsHeader(entries, metadata);
        header.checkOffsets(file);
        return header;
    }

    private static void readMetadata(JsonNode node, Map<String, String> metadata, String file) {
        node.properties().forEach(field -> {
            if (!field.getValue().isTextual()) {
                throw new CorruptFileException(file, "the metadata '" + field.getKey() + "' is no text");
            }
            metadata.put(field.getKey(), field.getValue().textValue());
        });
        if (!node.isObject()) {
            throw new CorruptFileException(file, "the metadata is no JSON object");
        }
    }

    private static Entry entry(String name, JsonNode node, String file) {
        String where = "the array '" + name + "' ";
        String typeName = node.path("dtype").asText();
        ElementType type = Arrays.stream(ElementType.values())
                .filter(known -> known.name().equals(typeName))
                .findFirst()
                .orElseThrow(() -> new CorruptFileException(
                        file,
                        where + "has the type '" + typeName + "': expected one of "
                                + String.join(
                                        ", ",
                                        Arrays.stream(ElementType.values())
                                                .map(Enum::name)
                                                .toList())));
        long[] dims = longs(node.path("shape"), where + "has no valid shape", file);
        long[] offsets = longs(node.path("data_offsets"), where + "has no valid data_offsets", file);
        if (offsets.length != 2 || offsets[0] > offsets[1]) {
            throw new CorruptFileException(file, where + "has no valid data_offsets: " + node.path("data_offsets"));
        }
        long size;
        long bytes;
        try {
            size = Shape.of(dims).size();
            bytes = Math.multiplyExact(size, type.bytes());
        } catch (ArithmeticException e) {
            throw new CorruptFileException(file, where + "has an impossible shape: " + node.path("shape"), e);
        }
        if (bytes != offsets[1] - offsets[0]) {
            throw new CorruptFileException(
                    file,
                    where + "of type " + type + " and shape " + Shape.of(dims) + " takes " + bytes
                            + " bytes, but its data_offsets hold " + (offsets[1] - offsets[0]));
        }
        return new Entry(name, type, Shape.of(dims), offsets[0], offsets[1]);
    }

    private static long[] longs(JsonNode list, String message, String file) {
        long[] longs = new long[list.size()];
        boolean valid = list.isArray();
        for (int i = 0; valid && i < longs.length; i++) {
            valid = list.get(i).isIntegralNumber()
                    && list.get(i).canConvertToLong()
                    && list.get(i).longValue() >= 0;
            longs[i] = list.get(i).longValue();
        }
        if (!valid) {
            throw new CorruptFileException(file, message + ": " + list);
        }
        return longs;
    }

    private void checkOffsets(String file) {
        long expected = 0;
        for (Entry entry : inFileOrder()) {
            if (entry.begin != expected) {
                throw new CorruptFileException(
                        file,
                        "the array '" + entry.name + "' begins at byte " + entry.begin
                                + (entry.begin < expected ? ", inside the one before it" : ", behind a gap")
                                + ": expected " + expected);
            }
            expected = entry.end;
        }
    }
}
