package dev.tutti.source.text;

import java.nio.charset.StandardCharsets;

/** The bytes of UTF-8, each as its value plus 1: ids from 1 to 256, for any text of any language. */
public final class ByteTokenizer implements Tokenizer {
    @Override
    public Opened open() {
        return text -> {
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            int[] ids = new int[bytes.length];
            for (int i = 0; i < ids.length; i++) {
                ids[i] = (bytes[i] & 0xff) + 1;
            }
            return ids;
        };
    }

    @Override
    public String toString() {
        return "bytes";
    }
}
