package dev.tutti.plan;

import dev.tutti.comm.transport.LinkCosts;
import dev.tutti.comm.transport.SumWay;

/**
 * Bytes, rounds and seconds of the calls between members, as the transports between machines make them: members first tell all others what
 * they call for, in one message of fixed size to each; then a sum takes the {@link SumWay} that costs least.
 *
 * <p>Seconds are bytes over bandwidth plus rounds times latency, with what the software of a node adds to each.
 */
public final class CollectiveTimes {
    /** The size of the message in which a member says what it calls for. */
    static final int CALL_BYTES = 1024;

    private final NetworkSpec network;
    private final WireCosts software;

    public CollectiveTimes(NetworkSpec network, WireCosts software) {
        this.network = network;
        this.software = software;
    }

    /** Seconds in which bytes leave a node. */
    public double secondsOf(double bytes) {
        return bytes / Math.min(network.bytesPerSecond(), software.bytesPerSecond());
    }

    /** Seconds of a message that waits for the one before it, without its bytes. */
    public double round() {
        return network.latencySeconds() + software.secondsPerRound();
    }

    /** Every member tells all others what it calls for. */
    public Exchanged agree(int members) {
        double messages = (double) (members - 1) * CALL_BYTES;
        return members == 1
                ? Exchanged.NOTHING
                : new Exchanged(0, messages, 1, round() + messages / network.bytesPerSecond());
    }

    /** A sum that all members have, in the way that the transport chooses. */
    public Exchanged allReduce(int members, double bytes) {
        if (members == 1) {
            return Exchanged.NOTHING;
        }
        SumWay way = costs().allReduce(members, Math.round(bytes));
        return call(members, LinkCosts.bytesSent(way, members, bytes), LinkCosts.rounds(way, members));
    }

    /** The parts of all members for all: {@code (n - 1) / n} of the bytes, from each to all others at once or round a ring. */
    public Exchanged allGather(int members, double bytes) {
        if (members == 1) {
            return Exchanged.NOTHING;
        }
        double rounds = costs().gathersAtOnce(members, Math.round(bytes)) ? 1 : members - 1.0;
        return call(members, bytes * (members - 1) / members, rounds);
    }

    private LinkCosts costs() {
        return new LinkCosts(round(), secondsOf(1));
    }

    private Exchanged call(int members, double sent, double rounds) {
        return agree(members).then(new Exchanged(sent, 0, rounds, rounds * round() + secondsOf(sent)));
    }

    /** A question to another member and its answer. */
    public Exchanged ask(double sent, double answered) {
        return new Exchanged(sent, 0, 2, 2 * round() + secondsOf(sent) + secondsOf(answered));
    }

    /** A message without an answer. */
    public Exchanged send(double bytes) {
        return new Exchanged(bytes, 0, 1, round() + secondsOf(bytes));
    }
}
