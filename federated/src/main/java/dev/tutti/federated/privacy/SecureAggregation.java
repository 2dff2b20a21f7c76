package dev.tutti.federated.privacy;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.tutti.BoundedNumber;
import dev.tutti.json.Definition;

/** Sums of masked updates (Bonawitz et al. 2017): the server learns the sum of those who stay to the end, and no single update. */
@JsonInclude(JsonInclude.Include.NON_DEFAULT)
public final class SecureAggregation extends Definition {
    private double threshold = 0.6;
    private double range = 8;
    private int bits = 24;

    /** The part of the clients of a round that must stay to the end; the others may drop out at any time. 0.6 by default. */
    public SecureAggregation threshold(double part) {
        return this.<SecureAggregation>copy(c -> c.threshold = part);
    }

    /** The greatest size of one value of an update; larger ones are cut. 8 by default. */
    public SecureAggregation range(double most) {
        return this.<SecureAggregation>copy(c -> c.range = most);
    }

    /** Binary digits behind the point of a value; 24 by default. */
    public SecureAggregation bits(int digits) {
        return this.<SecureAggregation>copy(c -> c.bits = digits);
    }

    /** How many clients of so many must stay to the end. */
    public int threshold(int clients) {
        return Math.max(2, (int) Math.ceil(threshold * clients));
    }

    public FixedPoint fixedPoint() {
        return new FixedPoint(range, bits);
    }

    @Override
    public void validate() {
        new BoundedNumber("secure", "threshold", threshold).above(0.5).atMost(1);
        new BoundedNumber("secure", "range", range).above(0);
        new BoundedNumber("secure", "bits", bits).atLeast(1).atMost(40);
    }
}
