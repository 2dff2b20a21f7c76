package dev.tutti.comm.transport;

/** What members can call for together. */
public enum CollectiveOperation {
    ALL_REDUCE("allReduce"),
    REDUCE_SCATTER("reduceScatter"),
    ALL_GATHER("allGather"),
    BROADCAST("broadcast"),
    SEND("send"),
    RECEIVE("receive"),
    SUMMANDS("summands"),
    BARRIER("barrier"),
    JOIN("join");

    private final String word;

    CollectiveOperation(String word) {
        this.word = word;
    }

    /** Whether elements come with it. */
    boolean hasValues() {
        return this != BARRIER && this != JOIN;
    }

    @Override
    public String toString() {
        return word;
    }
}
