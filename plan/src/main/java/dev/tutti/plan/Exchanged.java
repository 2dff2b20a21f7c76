package dev.tutti.plan;

/**
 * What a member exchanges with others.
 *
 * @param bytes it sends: elements
 * @param messageBytes it sends beside them: what members tell each other before elements travel
 * @param rounds messages that wait for each other, one behind the other
 * @param seconds it takes if all members begin at the same time
 */
public record Exchanged(double bytes, double messageBytes, double rounds, double seconds) {
    /** Nothing. */
    public static final Exchanged NOTHING = new Exchanged(0, 0, 0, 0);

    /** This, then another. */
    public Exchanged then(Exchanged next) {
        return new Exchanged(
                bytes + next.bytes, messageBytes + next.messageBytes, rounds + next.rounds, seconds + next.seconds);
    }

    /** This so many times; less than once where it happens in some steps only. */
    public Exchanged times(double count) {
        return new Exchanged(bytes * count, messageBytes * count, rounds * count, seconds * count);
    }
}
