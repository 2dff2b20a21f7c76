package dev.tutti.comm.transport;

/**
 * What messages between machines cost, and so which way a sum takes.
 *
 * <p>The order of additions depends on the number of members and bytes alone, never on what was measured: the ways between which costs
 * decide come to the same bits.
 *
 * @param secondsPerRound from one member's call to another's, for a short message
 * @param secondsPerByte of a long one
 */
public record LinkCosts(double secondsPerRound, double secondsPerByte) {
    /** Up to here sums of 4, 8, 16, ... members are added pair by pair, as recursive halving does; others in the order of the ring. */
    private static final long MOST_HALVED_BYTES = 8 << 20;

    /** Longer sums never go to all members as a whole: others may need the network too. */
    private static final long MOST_WHOLE_BYTES = 64 << 10;

    /** What software spends on one more message of a round. */
    private static final double MESSAGE_SECONDS = 5e-6;

    /** The ring adds while it receives and has one sender for each receiver: another way has to save more than this share. */
    private static final double WORTH_LEAVING_RING = 0.03;

    /** Whether elements are added pair by pair. */
    public static boolean addsInPairs(int members, long bytes) {
        return members >= 4 && Integer.bitCount(members) == 1 && bytes <= MOST_HALVED_BYTES;
    }

    /** The way of a sum that all members have. */
    public SumWay allReduce(int members, long bytes) {
        boolean whole = bytes <= MOST_WHOLE_BYTES
                && seconds(SumWay.WHOLE, members, bytes) < seconds(SumWay.PARTS, members, bytes);
        SumWay direct = whole ? SumWay.WHOLE : SumWay.PARTS;
        double least = seconds(direct, members, bytes);
        if (addsInPairs(members, bytes)) {
            return seconds(SumWay.HALVING, members, bytes) < least ? SumWay.HALVING : direct;
        }
        double ring = seconds(SumWay.RING, members, bytes);
        return ring * (1 - WORTH_LEAVING_RING) <= least ? SumWay.RING : direct;
    }

    /** The way of a sum of which every member has its part; never {@link SumWay#WHOLE}. */
    public SumWay reduceScatter(int members, long bytes) {
        SumWay way = allReduce(members, bytes);
        return way == SumWay.WHOLE ? SumWay.PARTS : way;
    }

    /** Whether parts go from each member to all others at once instead of round the ring. */
    public boolean gathersAtOnce(int members, long bytes) {
        double once = seconds(SumWay.PARTS, members, bytes) / 2;
        return once < seconds(SumWay.RING, members, bytes) / 2 * (1 - WORTH_LEAVING_RING);
    }

    /** Seconds of a sum that all members have, if they begin at the same time. */
    public double seconds(SumWay way, int members, double bytes) {
        return rounds(way, members) * secondsPerRound
                + messages(way, members) * MESSAGE_SECONDS
                + bytesSent(way, members, bytes) * secondsPerByte;
    }

    /** Messages that wait for each other. */
    public static double rounds(SumWay way, int members) {
        return switch (way) {
            case WHOLE -> 1;
            case PARTS -> 2;
            case HALVING -> 2.0 * bits(members);
            case RING -> 2.0 * (members - 1);
        };
    }

    private static double messages(SumWay way, int members) {
        return switch (way) {
            case WHOLE -> members - 1.0;
            case PARTS, RING -> 2.0 * (members - 1);
            case HALVING -> 2.0 * bits(members);
        };
    }

    /** Bytes that leave a member. */
    public static double bytesSent(SumWay way, int members, double bytes) {
        return way == SumWay.WHOLE ? bytes * (members - 1) : 2 * bytes * (members - 1) / members;
    }

    private static int bits(int members) {
        return Integer.SIZE - Integer.numberOfLeadingZeros(members - 1);
    }
}
