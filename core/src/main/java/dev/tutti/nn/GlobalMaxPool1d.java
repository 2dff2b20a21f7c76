package dev.tutti.nn;

/** The largest value of each channel of {@code [channels, time]}, however long. */
public final class GlobalMaxPool1d extends GlobalPooling<GlobalMaxPool1d> {
    private boolean timeFirst;

    GlobalMaxPool1d() {
        super(1, true);
    }

    /** For {@code [time, channels]}, as sequences come out of recurrent layers and encoders. */
    public GlobalMaxPool1d timeFirst() {
        return copy(c -> c.timeFirst = true);
    }

    @Override
    boolean isTimeFirst() {
        return timeFirst;
    }
}
