package dev.tutti.strategy.compression;

/** The compressions, to be imported statically: {@code allReduce().compression(topK(0.01))}. */
public final class Compressions {
    private Compressions() {}

    /** Half of the bytes: 11 bits of precision, sizes from 6e-8 to 65504. */
    public static Compression fp16() {
        return new Fp16Compression();
    }

    /** Half of the bytes: 8 bits of precision, all sizes that float32 has. */
    public static Compression bf16() {
        return new Bf16Compression();
    }

    /** Only the largest gradients, such as 0.01 of them; what is not sent is added to those of the next step. */
    public static Compression topK(double fraction) {
        return new TopKCompression(fraction);
    }

    /** Each matrix as a product of two narrow ones of so many columns; what is lost is added to the next step's. */
    public static Compression powerSgd(int rank) {
        return new PowerSgdCompression(rank);
    }
}
