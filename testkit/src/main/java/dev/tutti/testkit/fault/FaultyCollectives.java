package dev.tutti.testkit.fault;

import dev.tutti.array.DType;
import dev.tutti.comm.Collectives;
import dev.tutti.comm.Group;
import dev.tutti.comm.MemberLostException;
import dev.tutti.comm.SharedVectorSum;
import dev.tutti.comm.Traffic;
import dev.tutti.tensor.Tensor;
import dev.tutti.testkit.fault.MessageFaults.Mishap;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * Disturbs what a member says to the other members: its calls come late or not at all.
 *
 * <p>A member whose call was lost waits itself, until its deadline or until its wait is ended from outside.
 */
public final class FaultyCollectives implements Collectives {
    private final Collectives inner;
    private final Duration timeout;
    private final Disturbance disturbance;
    private final CompletableFuture<MemberLostException> aborted = new CompletableFuture<>();

    /** Says what happens to the next call. */
    @FunctionalInterface
    public interface Disturbance {
        Mishap next(Group group, String what);
    }

    public FaultyCollectives(Collectives inner, Duration timeout, Disturbance disturbance) {
        this.inner = inner;
        this.timeout = timeout;
        this.disturbance = disturbance;
    }

    private void send(String what, Runnable call) {
        disturbed(what, () -> {
            call.run();
            return null;
        });
    }

    private <T> T disturbed(String what, Supplier<T> call) {
        Mishap mishap = disturbance.next(inner.group(), what);
        return switch (mishap.kind()) {
            case NONE, DUPLICATED, ANSWER_DROPPED -> call.get(); // an agreement cannot be said twice
            case DELAYED -> {
                await(mishap.millis());
                yield call.get();
            }
            case DROPPED -> {
                await(timeout.toMillis());
                throw fail("its call '" + what + "' was lost on purpose");
            }
            case CUT -> throw fail("its connections were cut on purpose before '" + what + "'");
        };
    }

    private MemberLostException fail(String what) {
        MemberLostException failure =
                new MemberLostException(List.of(), inner.group().self() + ": " + what);
        inner.abort(failure);
        return failure;
    }

    private void await(long millis) {
        try {
            throw aborted.get(millis, TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            return;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw fail("it was interrupted");
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public Group group() {
        return inner.group();
    }

    @Override
    public void allReduce(String what, Tensor values) {
        send(what, () -> inner.allReduce(what, values));
    }

    @Override
    public void reduceScatter(String what, Tensor values) {
        send(what, () -> inner.reduceScatter(what, values));
    }

    @Override
    public void allGather(String what, Tensor values) {
        send(what, () -> inner.allGather(what, values));
    }

    @Override
    public void broadcast(String what, Tensor values, int root) {
        send(what, () -> inner.broadcast(what, values, root));
    }

    @Override
    public void send(String what, Tensor values, int to) {
        send(what, () -> inner.send(what, values, to));
    }

    @Override
    public void receive(String what, Tensor values, int from) {
        send(what, () -> inner.receive(what, values, from));
    }

    @Override
    public void barrier(String what) {
        send(what, () -> inner.barrier(what));
    }

    @Override
    public void join() {
        send("join", inner::join);
    }

    /** Rounds have the name of the vectors, and whom they wait for has one, too. */
    @Override
    public Optional<SharedVectorSum> summands(String what, DType type, long elements) {
        return disturbed("memory for " + what, () -> inner.summands(what, type, elements))
                .map(vectors -> new FaultyVectorSum(vectors, what, this::send));
    }

    @Override
    public Traffic traffic() {
        return inner.traffic();
    }

    @Override
    public void abort(MemberLostException reason) {
        aborted.complete(reason);
        inner.abort(reason);
    }

    @Override
    public void close() {
        inner.close();
    }
}
