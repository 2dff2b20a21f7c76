package dev.tutti.nn;

/** The mean of each channel of {@code [channels, time]}, however long. */
public final class GlobalAvgPool1d extends GlobalPooling<GlobalAvgPool1d> {
    private boolean timeFirst;

    GlobalAvgPool1d() {
        super(1, false);
    }

    /** For {@code [time, channels]}, as sequences come out of recurrent layers and encoders. */
    public GlobalAvgPool1d timeFirst() {
        return copy(c -> c.timeFirst = true);
    }

    @Override
    boolean isTimeFirst() {
        return timeFirst;
    }
}
