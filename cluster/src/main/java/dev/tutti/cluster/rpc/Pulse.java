package dev.tutti.cluster.rpc;

import dev.tutti.TuttiException;
import dev.tutti.cluster.coordinator.RefusedException;
import dev.tutti.cluster.coordinator.Situation;
import dev.tutti.comm.Report;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says at regular times that a member is there and how it is doing, and hears at once what happens to its group.
 *
 * <p>Nothing here waits: one thread sends, answers come on gRPC's own.
 */
public final class Pulse implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Pulse.class);
    private static final long REOPEN = 50;

    /** Whoever wants to know. Called by several threads, possibly with the same thing twice. */
    public interface Listener {
        /** How things are. */
        void situation(Situation now);

        /** The coordinator says that this member is none. */
        void refused(RefusedException why);

        /** The coordinator was not reached for longer than the job's patience. */
        void alone(CoordinatorLostException why);
    }

    private final ManagedChannel channel;
    private final Calls calls;
    private final Membership self;
    private final Listener listener;
    private final ScheduledExecutorService sender;
    private final AtomicReference<Report> report = new AtomicReference<>();
    private final AtomicBoolean watching = new AtomicBoolean();
    private volatile long heardNanos = System.nanoTime();
    private volatile boolean closed;

    Pulse(ManagedChannel channel, Calls calls, Membership self, Listener listener) {
        this.channel = channel;
        this.calls = calls;
        this.self = self;
        this.listener = listener;
        ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "tutti-heartbeat-" + self.id());
            thread.setDaemon(true);
            return thread;
        });
        executor.setRemoveOnCancelPolicy(true);
        sender = executor;
        long every = self.patience().heartbeat();
        watch();
        var unused = sender.scheduleAtFixedRate(this::beat, 0, every, TimeUnit.MILLISECONDS);
    }

    /** Sends a report with the next heartbeat; only the last one counts. */
    public void report(Report latest) {
        report.set(latest);
    }

    private void beat() {
        try {
            if (!watching.get()) {
                channel.resetConnectBackoff(); // its own pauses grow to minutes
            }
            long deadline = Math.max(1_000, 2 * self.patience().heartbeat());
            call(
                    Wire.HEARTBEAT,
                    new Wire.Heartbeat(self.caller(), report.get()),
                    CallOptions.DEFAULT.withDeadlineAfter(deadline, TimeUnit.MILLISECONDS),
                    () -> {});
        } catch (RuntimeException e) {
            LOG.error("A heartbeat could not be sent", e);
        }
    }

    private void watch() {
        if (!closed && watching.compareAndSet(false, true)) {
            call(Wire.WATCH, self.caller(), CallOptions.DEFAULT.withWaitForReady(), this::reopen);
        }
    }

    private void reopen() {
        watching.set(false);
        if (closed) {
            return;
        }
        try {
            channel.resetConnectBackoff();
            var unused = sender.schedule(this::watch, REOPEN, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            LOG.debug("closed meanwhile", e);
        }
    }

    private <Q> void call(MethodDescriptor<Q, Situation> method, Q request, CallOptions options, Runnable ended) {
        StreamObserver<Situation> observer = new StreamObserver<>() {
            @Override
            public void onNext(Situation now) {
                heardNanos = System.nanoTime();
                if (!closed) {
                    listener.situation(now);
                }
            }

            @Override
            public void onError(Throwable failure) {
                failed(failure);
                ended.run();
            }

            @Override
            public void onCompleted() {
                ended.run();
            }
        };
        if (method.getType() == MethodDescriptor.MethodType.UNARY) {
            ClientCalls.asyncUnaryCall(channel.newCall(method, options), request, observer);
        } else {
            ClientCalls.asyncServerStreamingCall(channel.newCall(method, options), request, observer);
        }
    }

    private void failed(Throwable failure) {
        if (closed) {
            return;
        }
        long silent = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - heardNanos);
        TuttiException meaning = failure instanceof StatusRuntimeException status
                ? calls.explain(status, silent)
                : calls.explain(Status.fromThrowable(failure).asRuntimeException(), silent);
        if (meaning instanceof RefusedException refused) {
            listener.refused(refused);
        } else if (silent > self.patience().coordinator()) {
            listener.alone((CoordinatorLostException) meaning);
        }
    }

    /** Stops; the connection stays open for whoever else uses it. */
    @Override
    public void close() {
        closed = true;
        sender.shutdownNow();
    }
}
