package dev.tutti.comm.transport;

import dev.tutti.comm.Traffic;
import java.util.concurrent.atomic.AtomicLong;

/** Counts the bytes that leave a member and come to it. */
public final class TrafficMeter {
    private final AtomicLong sent = new AtomicLong();
    private final AtomicLong received = new AtomicLong();

    public void add(long bytesSent, long bytesReceived) {
        sent.addAndGet(bytesSent);
        received.addAndGet(bytesReceived);
    }

    /** Each member gets the others' elements of its part. */
    public void reduceScatter(long all, long own, int members) {
        add(all - own, own * (members - 1));
    }

    /** Each member gives its part to all others. */
    public void allGather(long all, long own, int members) {
        add(own * (members - 1), all - own);
    }

    public void broadcast(long all, boolean root, int members) {
        add(root ? all * (members - 1) : 0, root ? 0 : all);
    }

    public Traffic traffic() {
        return new Traffic(sent.get(), received.get());
    }
}
