package dev.tutti.testkit.fault;

import dev.tutti.cluster.launch.ChildJvm;
import dev.tutti.data.Sample;
import dev.tutti.data.transform.Transform;
import dev.tutti.json.Json;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A mistake in the data of one member only: it throws at some row, or each row takes long, as from a slow disk. Its successor under
 * another name is well.
 */
public final class DataFault implements Transform {
    private static final AtomicLong ROWS = new AtomicLong();

    static {
        register();
    }

    private String member = "";
    private long row;
    private long sleepMicros;

    private DataFault() {}

    private DataFault(String member, long row, long sleepMicros) {
        this.member = member;
        this.row = row;
        this.sleepMicros = sleepMicros;
    }

    /** Gives it its name in files; only programs of the test kit do so. */
    public static void register() {
        Json.register(DataFault.class, "flaw");
    }

    /** The member with this name throws at the row it reads as so manieth. */
    public static DataFault thrown(String member, long row) {
        return new DataFault(member, row, 0);
    }

    /** The member with this name takes so long for each row. */
    public static DataFault slow(String member, long micros) {
        return new DataFault(member, 0, micros);
    }

    @Override
    public Sample apply(Sample sample) {
        if (member.equals(System.getProperty(ChildJvm.MEMBER))) {
            if (row > 0 && ROWS.incrementAndGet() >= row) {
                throw new IllegalStateException("row " + row + " of " + member + " is spoilt on purpose");
            }
            pause();
        }
        return sample;
    }

    private void pause() {
        try {
            TimeUnit.MICROSECONDS.sleep(sleepMicros);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public String toString() {
        return "flaw(" + member + (row > 0 ? ", throws at row " + row : ", " + sleepMicros + " us a row") + ")";
    }
}
