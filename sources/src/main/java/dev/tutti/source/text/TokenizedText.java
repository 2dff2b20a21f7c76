package dev.tutti.source.text;

import java.util.Arrays;
import java.util.Locale;
import java.util.zip.CRC32C;

/** All ids of some texts in one array, and where each text begins. */
final class TokenizedText {
    private int[] ids = new int[1024];
    private int count;
    private int[] starts = new int[64];
    private int pieces;
    private final CRC32C checksum = new CRC32C();

    void add(int[] more) {
        if (pieces + 1 >= starts.length) {
            starts = Arrays.copyOf(starts, starts.length * 2);
        }
        if (count + more.length > ids.length) {
            ids = Arrays.copyOf(ids, Math.max(ids.length * 2, count + more.length));
        }
        System.arraycopy(more, 0, ids, count, more.length);
        count += more.length;
        starts[++pieces] = count;
        for (int id : more) {
            checksum.update(id);
            checksum.update(id >>> 8);
            checksum.update(id >>> 16);
        }
    }

    int ids() {
        return count;
    }

    int pieces() {
        return pieces;
    }

    int id(long place) {
        return ids[(int) place];
    }

    int start(long piece) {
        return starts[(int) piece];
    }

    int length(long piece) {
        return starts[(int) piece + 1] - starts[(int) piece];
    }

    String fingerprint() {
        return String.format(Locale.ROOT, "%,d ids in %,d texts (checksum %08x)", count, pieces, checksum.getValue());
    }
}
