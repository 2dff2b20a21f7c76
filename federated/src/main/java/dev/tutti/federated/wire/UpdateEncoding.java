package dev.tutti.federated.wire;

import com.fasterxml.jackson.annotation.JsonProperty;

/** How the numbers of an update travel. */
public enum UpdateEncoding {
    /** As they are. */
    @JsonProperty("float32")
    FLOAT32,
    /** Half of the bytes: 8 bits of precision, all sizes that float32 has. */
    @JsonProperty("bfloat16")
    BFLOAT16,
    /** A quarter of the bytes: whole numbers from -127 to 127 with a scale for each 256 of them, rounded by chance so that the mean stays. */
    @JsonProperty("int8")
    INT8,
    /** The largest hundredth, with their places; what is not sent is added to the next update. */
    @JsonProperty("topK")
    TOP_K
}
