package dev.tutti.nn;

/** The mean of each channel of {@code [channels, height, width]}. */
public final class GlobalAvgPool2d extends GlobalPooling<GlobalAvgPool2d> {
    GlobalAvgPool2d() {
        super(2, false);
    }
}
