package dev.tutti.spark.launch;

import org.apache.spark.Partition;

/** The partition of one member: all partitions of the tables, of which some are near. */
final class MemberPartition implements Partition {
    private static final long serialVersionUID = 1;

    private final int index;
    private final Partition[][] parts;

    /** @param parts of each table */
    MemberPartition(int index, Partition[][] parts) {
        this.index = index;
        this.parts = parts;
    }

    @Override
    public int index() {
        return index;
    }

    Partition[][] parts() {
        return parts;
    }

    @Override
    public int hashCode() {
        return index;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof MemberPartition that && that.index == index;
    }
}
