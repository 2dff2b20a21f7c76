package dev.tutti.nn;

/** The largest value of each channel of {@code [channels, height, width]}. */
public final class GlobalMaxPool2d extends GlobalPooling<GlobalMaxPool2d> {
    GlobalMaxPool2d() {
        super(2, true);
    }
}
