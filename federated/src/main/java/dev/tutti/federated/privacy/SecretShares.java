package dev.tutti.federated.privacy;

import dev.tutti.TuttiException;
import java.math.BigInteger;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Shamir's secret sharing over the prime field of 2^521 - 1: any {@code threshold} shares give the secret, fewer tell nothing. */
final class SecretShares {
    private static final BigInteger PRIME = BigInteger.TWO.pow(521).subtract(BigInteger.ONE);

    private SecretShares() {}

    /** Shares for the holders 1 to {@code count}. */
    static List<byte[]> split(byte[] secret, int count, int threshold, SecureRandom random) {
        List<BigInteger> polynomial = new ArrayList<>();
        polynomial.add(new BigInteger(1, secret));
        for (int i = 1; i < threshold; i++) {
            polynomial.add(new BigInteger(520, random));
        }
        List<byte[]> shares = new ArrayList<>();
        for (int holder = 1; holder <= count; holder++) {
            BigInteger x = BigInteger.valueOf(holder);
            BigInteger y = BigInteger.ZERO;
            for (int i = threshold - 1; i >= 0; i--) {
                y = y.multiply(x).add(polynomial.get(i)).mod(PRIME);
            }
            shares.add(y.toByteArray());
        }
        return shares;
    }

    /**
     * The secret of shares by holder.
     *
     * @param bytes how long the secret is
     */
    static byte[] join(Map<Integer, byte[]> shares, int bytes) {
        BigInteger secret = BigInteger.ZERO;
        for (var own : shares.entrySet()) {
            BigInteger numerator = BigInteger.ONE;
            BigInteger denominator = BigInteger.ONE;
            BigInteger x = BigInteger.valueOf(own.getKey());
            for (Integer other : shares.keySet()) {
                if (!other.equals(own.getKey())) {
                    numerator = numerator.multiply(BigInteger.valueOf(other)).mod(PRIME);
                    denominator = denominator
                            .multiply(BigInteger.valueOf(other).subtract(x))
                            .mod(PRIME);
                }
            }
            secret = secret.add(new BigInteger(1, own.getValue())
                            .multiply(numerator)
                            .multiply(denominator.modInverse(PRIME)))
                    .mod(PRIME);
        }
        byte[] out = new byte[bytes];
        byte[] big = secret.toByteArray();
        int from = Math.max(0, big.length - bytes);
        if (secret.bitLength() > bytes * 8) {
            throw new TuttiException("shares do not fit together: a client sent a wrong one");
        }
        System.arraycopy(big, from, out, bytes - (big.length - from), big.length - from);
        return out;
    }
}
