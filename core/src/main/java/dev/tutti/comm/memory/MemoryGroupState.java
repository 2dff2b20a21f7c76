package dev.tutti.comm.memory;

import dev.tutti.comm.MemberLostException;
import dev.tutti.comm.transport.CallDeadline;
import dev.tutti.comm.transport.CollectiveCall;
import dev.tutti.comm.transport.SharedVectors;
import dev.tutti.host.SpinWait;
import dev.tutti.tensor.NativeMemory;
import dev.tutti.tensor.Tensor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * What members that are threads of one JVM share: how far each is, what it called for, where its elements lie.
 *
 * <p>Members write into each other's tensors. So one that fails leaves only when no member is at work any more, and none begins
 * once a member has failed: who owns a tensor may free it after the call.
 */
final class MemoryGroupState {
    private static final int SPINS = 2000;

    /** Steps of a call that a member has come to; all of them only grow. */
    enum Step {
        CALLED,
        READY,
        DONE,
        OFFERED,
        ANSWERED,
        FETCHED,
        PREPARED,
        RELEASED
    }

    private final int members;
    private final AtomicLongArray steps;
    private final AtomicReferenceArray<CollectiveCall> calls;
    private final AtomicReferenceArray<CollectiveCall> offers;
    private final AtomicReferenceArray<CollectiveCall> answers;
    private final AtomicReferenceArray<CollectiveCall> wanted;
    private final AtomicReferenceArray<NativeMemory> elements;
    private final AtomicReferenceArray<NativeMemory> mail;
    private final AtomicReferenceArray<Tensor> vectors;
    private final AtomicReferenceArray<RuntimeException> left;
    private final AtomicInteger atWork = new AtomicInteger();

    MemoryGroupState(int members) {
        this.members = members;
        steps = new AtomicLongArray(members * Step.values().length);
        calls = new AtomicReferenceArray<>(2 * members);
        offers = new AtomicReferenceArray<>(members);
        answers = new AtomicReferenceArray<>(members);
        wanted = new AtomicReferenceArray<>(members);
        elements = new AtomicReferenceArray<>(members);
        mail = new AtomicReferenceArray<>(members);
        vectors = new AtomicReferenceArray<>(members);
        left = new AtomicReferenceArray<>(members);
    }

    long get(int rank, Step step) {
        return steps.get(step.ordinal() * members + rank);
    }

    /** Says that a member has come to its next step of a kind; wakes those who wait for it. */
    long advance(int rank, Step step) {
        long value = steps.incrementAndGet(step.ordinal() * members + rank);
        wake();
        return value;
    }

    synchronized void wake() {
        notifyAll();
    }

    /** The call with a number; two are kept in turn, since a fast member may begin the next while others still look. */
    CollectiveCall call(int rank, long number) {
        return calls.get(2 * rank + (int) (number & 1));
    }

    void call(int rank, long number, CollectiveCall call) {
        calls.set(2 * rank + (int) (number & 1), call);
    }

    AtomicReferenceArray<CollectiveCall> offers() {
        return offers;
    }

    AtomicReferenceArray<CollectiveCall> answers() {
        return answers;
    }

    /** What members wait to receive. */
    AtomicReferenceArray<CollectiveCall> wanted() {
        return wanted;
    }

    AtomicReferenceArray<NativeMemory> elements() {
        return elements;
    }

    AtomicReferenceArray<NativeMemory> mail() {
        return mail;
    }

    /** What members are about to share, see {@link SharedVectors}. */
    AtomicReferenceArray<Tensor> vectors() {
        return vectors;
    }

    /** Why a member takes part no more, or null while it does. */
    RuntimeException left(int rank) {
        return left.get(rank);
    }

    /** Leaves for good; returns when no member works on elements any more. */
    void leave(int rank, RuntimeException reason) {
        left.compareAndSet(rank, null, reason);
        wake();
        while (atWork.get() > 0) {
            Thread.onSpinWait(); // work never waits for anything, so this is short
        }
    }

    /** Works on the elements of all, unless a member has left. */
    void work(Runnable work, Runnable check) {
        atWork.incrementAndGet();
        try {
            check.run();
            work.run();
        } finally {
            atWork.decrementAndGet();
        }
    }

    /** Waits until something has come true; {@code check} throws when that is not to be expected any more. */
    void await(BooleanSupplier done, CallDeadline patience, Runnable check, Supplier<RuntimeException> late) {
        if (SpinWait.times(SPINS, done)) {
            return;
        }
        synchronized (this) {
            while (!done.getAsBoolean()) {
                patience.check();
                try {
                    check.run();
                } catch (MemberLostException e) {
                    if (done.getAsBoolean()) {
                        return; // it has done what is waited for, then left
                    }
                    throw e;
                }
                long left = patience.left().toNanos();
                if (left == 0) {
                    throw late.get();
                }
                try {
                    TimeUnit.NANOSECONDS.timedWait(this, Math.max(left, 1_000_000));
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    throw CallDeadline.interrupted();
                }
            }
        }
    }
}
