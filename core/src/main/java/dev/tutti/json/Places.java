package dev.tutti.json;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.core.JsonStreamContext;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/**
 * Where the keys and elements of a text stand, so that an error found long after reading can still name file, line and column.
 *
 * <p>A key is named by its JSON pointer, such as {@code /model/layers/2/units}.
 */
public final class Places {
    private final String where;
    private final Map<JsonPointer, JsonLocation> places = new HashMap<>();

    private Places(String where) {
        this.where = where;
    }

    /** A text whose lines are not at hand, such as one that came over the network: only its name is known. */
    public static Places unknown(String where) {
        return new Places(where);
    }

    /** The places in a text of YAML, of which JSON is a part; {@code where} is its name. */
    public static Places of(String text, String where) {
        return of(Json.yaml(), text, where);
    }

    static Places of(ObjectMapper mapper, String text, String where) {
        Places found = new Places(where);
        try (JsonParser parser = mapper.createParser(text)) {
            for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
                JsonStreamContext at = parser.getParsingContext();
                boolean opens = token == JsonToken.START_OBJECT || token == JsonToken.START_ARRAY;
                JsonPointer pointer = (opens ? at.getParent() : at).pathAsPointer();
                found.places.putIfAbsent(pointer, parser.currentTokenLocation());
            }
        } catch (IOException e) {
            return found; // up to the mistake the places are right, and the reader itself reports it
        }
        return found;
    }

    /** {@code file:line:column} of a key; of the nearest one around it when the key itself is not there. */
    public String at(String pointer) {
        for (JsonPointer p = JsonPointer.compile(pointer); p != null && !p.matches(); p = p.head()) {
            JsonLocation place = places.get(p);
            if (place != null && place.getLineNr() > 0) {
                return where + ":" + place.getLineNr() + ":" + place.getColumnNr();
            }
        }
        return where;
    }

    /** Whether the text has this key or element. */
    public boolean has(String pointer) {
        return places.containsKey(JsonPointer.compile(pointer));
    }
}
