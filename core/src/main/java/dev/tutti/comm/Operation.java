package dev.tutti.comm;

/** What members can call for together. */
enum Operation {
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

    Operation(String word) {
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
