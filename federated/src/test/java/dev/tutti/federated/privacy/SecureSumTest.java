package dev.tutti.federated.privacy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.TuttiException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SecureSumTest {
    private static final int CLIENTS = 7;
    private static final int THRESHOLD = 4;
    private static final int SIZE = 1000;

    private enum Lost {
        NONE,
        BEFORE_KEYS,
        BEFORE_SHARES,
        BEFORE_MASKED,
        BEFORE_UNMASK
    }

    private final Map<String, SecureParticipant> clients = new TreeMap<>();
    private final Map<String, long[]> vectors = new TreeMap<>();

    private List<String> join(int count, long seed) {
        Random random = new Random(seed);
        FixedPoint fixed = new FixedPoint(8, 24);
        for (int i = 0; i < count; i++) {
            String name = "client-" + i;
            clients.put(name, new SecureParticipant(name, 3));
            float[] update = new float[SIZE];
            for (int k = 0; k < SIZE; k++) {
                update[k] = (float) random.nextGaussian();
            }
            vectors.put(name, fixed.encode(update, 1 + i));
        }
        return new ArrayList<>(clients.keySet());
    }

    private static List<String> without(List<String> some, int count) {
        return some.subList(count, some.size());
    }

    /** As many as the threshold allows are lost at each phase; the sum is that of those who sent theirs, bit by bit. */
    @ParameterizedTest
    @EnumSource(Lost.class)
    void equalsThePlainSum(Lost lost) {
        List<String> alive = join(CLIENTS, 5);
        SecureSum sum = new SecureSum(3, THRESHOLD, SIZE);
        int gone = CLIENTS - THRESHOLD;
        alive = lost == Lost.BEFORE_KEYS ? without(alive, gone) : alive;
        alive.forEach(name -> sum.keys(name, clients.get(name).keys()));
        Map<String, String> keys = sum.closeKeys();
        alive = lost == Lost.BEFORE_SHARES ? without(alive, gone) : alive;
        alive.forEach(name -> sum.shares(name, clients.get(name).shares(keys, THRESHOLD)));
        sum.closeShares();
        List<String> masking = lost == Lost.BEFORE_MASKED ? without(alive, gone) : alive;
        masking.forEach(name -> sum.add(name, clients.get(name).mask(vectors.get(name), sum.sharesFor(name))));
        Map<String, String> fates = sum.closeSum();
        List<String> unmasking = lost == Lost.BEFORE_UNMASK ? without(masking, gone) : masking;
        unmasking.forEach(name -> sum.unmask(name, clients.get(name).unmask(fates)));
        long[] plain = new long[SIZE];
        masking.forEach(name -> IntStream.range(0, SIZE).forEach(i -> plain[i] += vectors.get(name)[i]));
        assertThat(sum.reveal()).containsExactly(plain);
    }

    @Test
    void tooFewLeftRevealNothing() {
        List<String> alive = join(CLIENTS, 5);
        SecureSum sum = new SecureSum(3, THRESHOLD, SIZE);
        alive.forEach(name -> sum.keys(name, clients.get(name).keys()));
        Map<String, String> keys = sum.closeKeys();
        alive.forEach(name -> sum.shares(name, clients.get(name).shares(keys, THRESHOLD)));
        sum.closeShares();
        alive.forEach(name -> sum.add(name, clients.get(name).mask(vectors.get(name), sum.sharesFor(name))));
        Map<String, String> fates = sum.closeSum();
        alive.subList(0, THRESHOLD - 1)
                .forEach(name -> sum.unmask(name, clients.get(name).unmask(fates)));
        assertThatThrownBy(sum::reveal).isInstanceOf(TuttiException.class).hasMessageContaining("4 are needed");
    }

    /** What the server gets of one client has no trace of its update: all bits are as often set as not, for a vector of zeros too. */
    @Test
    void oneMaskedUpdateIsNoise() {
        List<String> names = join(3, 5);
        SecureSum sum = new SecureSum(3, 2, SIZE);
        names.forEach(name -> sum.keys(name, clients.get(name).keys()));
        Map<String, String> keys = sum.closeKeys();
        names.forEach(name -> sum.shares(name, clients.get(name).shares(keys, 2)));
        long[] masked = clients.get(names.get(0)).mask(new long[SIZE], sum.sharesFor(names.get(0)));
        int[] set = new int[Long.SIZE];
        for (long value : masked) {
            for (int bit = 0; bit < Long.SIZE; bit++) {
                set[bit] += (int) (value >>> bit & 1);
            }
        }
        for (int bit = 0; bit < Long.SIZE; bit++) {
            assertThat(set[bit]).as("bit %d of 1000 values", bit).isBetween(420, 580); // five deviations
        }
        assertThat(correlation(masked, vectors.get(names.get(0)))).isBetween(-0.15, 0.15);
    }

    private static double correlation(long[] a, long[] b) {
        double ab = 0;
        double aa = 0;
        double bb = 0;
        for (int i = 0; i < a.length; i++) {
            ab += (double) a[i] * b[i];
            aa += (double) a[i] * a[i];
            bb += (double) b[i] * b[i];
        }
        return ab / Math.sqrt(aa * bb);
    }

    @Test
    void aClientGivesUpSharesOnceAndOnlyIfEnoughStayed() {
        List<String> names = join(3, 5);
        SecureSum sum = new SecureSum(3, 2, SIZE);
        names.forEach(name -> sum.keys(name, clients.get(name).keys()));
        Map<String, String> keys = sum.closeKeys();
        names.forEach(name -> sum.shares(name, clients.get(name).shares(keys, 2)));
        names.forEach(name -> sum.add(name, clients.get(name).mask(vectors.get(name), sum.sharesFor(name))));
        SecureParticipant first = clients.get(names.get(0));
        Map<String, String> lies = new LinkedHashMap<>();
        names.forEach(name -> lies.put(name, SecureParticipant.DROPPED));
        assertThatThrownBy(() -> first.unmask(lies)).hasMessageContaining("single update");
        Map<String, String> fates = sum.closeSum();
        first.unmask(fates);
        assertThatThrownBy(() -> first.unmask(fates)).hasMessageContaining("asked before");
    }

    @Test
    void sealedSharesCannotBeChangedOnTheirWay() {
        List<String> names = join(3, 5);
        SecureSum sum = new SecureSum(3, 2, SIZE);
        names.forEach(name -> sum.keys(name, clients.get(name).keys()));
        Map<String, String> keys = sum.closeKeys();
        names.forEach(name -> sum.shares(name, clients.get(name).shares(keys, 2)));
        Map<String, String> received = new LinkedHashMap<>(sum.sharesFor(names.get(0)));
        String box = received.get(names.get(1));
        received.put(names.get(1), (box.charAt(30) == 'A' ? "B" : "A") + box.substring(1));
        assertThatThrownBy(() -> clients.get(names.get(0)).mask(vectors.get(names.get(0)), received))
                .hasMessageContaining("changed on its way");
        assertThatThrownBy(() -> clients.get(names.get(0)).shares(keys, 1)).hasMessageContaining("threshold");
    }

    @Test
    void sharesBelowTheThresholdGiveAnotherSecret() {
        byte[] secret = new byte[32];
        new SecureRandom().nextBytes(secret);
        List<byte[]> shares = SecretShares.split(secret, 9, 5, new SecureRandom());
        Map<Integer, byte[]> five = new TreeMap<>();
        for (int holder : new int[] {2, 3, 5, 8, 9}) {
            five.put(holder, shares.get(holder - 1));
        }
        assertThat(SecretShares.join(five, 32)).isEqualTo(secret);
        five.remove(9);
        try {
            assertThat(SecretShares.join(five, 32)).isNotEqualTo(secret);
        } catch (TuttiException e) {
            assertThat(e).hasMessageContaining("do not fit together");
        }
    }
}
