package dev.tutti.cluster.rpc;

import dev.tutti.TuttiException;
import dev.tutti.cluster.coordinator.MembershipNotice;
import dev.tutti.cluster.coordinator.RefusedException;
import dev.tutti.comm.Configuration;
import dev.tutti.comm.Report;
import dev.tutti.host.RunningTime;
import io.grpc.CallOptions;
import io.grpc.ConnectivityState;
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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says at regular times that a member is there and how it is doing, and hears at once what happens to its group.
 *
 * <p>Nothing here waits: one thread sends, answers come on gRPC's own.
 */
public final class HeartbeatClient implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HeartbeatClient.class);
    private static final long REOPEN = 50;

    /** Hears of changes. Called by several threads, possibly with the same change twice. */
    public interface Listener {
        /** How things are. */
        void notice(MembershipNotice now);

        /** The job's settings have changed to this. */
        void configured(Configuration now);

        /** The coordinator says that this member is none. */
        void refused(RefusedException why);

        /** The coordinator was not reached for longer than the job's patience. */
        void alone(CoordinatorLostException why);
    }

    private final ManagedChannel channel;
    private final CoordinatorCalls calls;
    private final Membership self;
    private final Listener listener;
    private final ScheduledExecutorService sender;
    private final AtomicBoolean watching = new AtomicBoolean();
    private final AtomicBoolean asking = new AtomicBoolean();
    private volatile Configuration configuration = Configuration.NONE;
    private volatile long heardNanos = RunningTime.nanos();
    private volatile boolean closed;
    private Report latest;
    private double busySeconds;
    private int steps;

    HeartbeatClient(ManagedChannel channel, CoordinatorCalls calls, Membership self, Listener listener) {
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
        stayConnected();
        watch();
        var unused = sender.scheduleAtFixedRate(this::beat, 0, every, TimeUnit.MILLISECONDS);
    }

    /** Sends a report with the next heartbeat: of several the last one, with the mean of their times. */
    public synchronized void report(Report report) {
        latest = report;
        busySeconds += report.busySeconds();
        steps += report.busySeconds() > 0 ? 1 : 0;
    }

    private synchronized Report takeReport() {
        Report report = latest == null
                ? null
                : new Report(
                        latest.epoch(),
                        latest.step(),
                        latest.rowsOfEpoch(),
                        steps == 0 ? 0 : busySeconds / steps,
                        latest.loss());
        busySeconds = 0;
        steps = 0;
        return report;
    }

    private void beat() {
        try {
            call(
                    CoordinatorProtocol.HEARTBEAT,
                    new CoordinatorProtocol.Heartbeat(self.caller(), takeReport()),
                    withinMoments(),
                    () -> {});
        } catch (RuntimeException e) {
            LOG.error("A heartbeat could not be sent", e);
        }
    }

    /** For calls that are made again soon, so there is no use in waiting for them. */
    private CallOptions withinMoments() {
        long deadline = Math.max(1_000, 2 * self.patience().heartbeat());
        return CallOptions.DEFAULT.withDeadlineAfter(deadline, TimeUnit.MILLISECONDS);
    }

    private void watch() {
        if (!closed && watching.compareAndSet(false, true)) {
            call(CoordinatorProtocol.WATCH, self.caller(), CallOptions.DEFAULT.withWaitForReady(), this::reopen);
        }
    }

    private void reopen() {
        watching.set(false);
        if (closed) {
            return;
        }
        soon(this::watch);
    }

    /** Hears of a connection that broke, and makes it anew. */
    private void stayConnected() {
        ConnectivityState now = channel.getState(true);
        if (closed || now == ConnectivityState.SHUTDOWN) {
            return;
        }
        if (now == ConnectivityState.TRANSIENT_FAILURE) {
            soon(this::reconnect);
        }
        channel.notifyWhenStateChanged(now, this::stayConnected);
    }

    /** The channel's own pauses between attempts begin with a second and grow to minutes; a member has less than that. */
    private void reconnect() {
        // Until one succeeds the state stays the same, so there is nothing to be notified of.
        if (!closed && channel.getState(true) == ConnectivityState.TRANSIENT_FAILURE) {
            channel.resetConnectBackoff();
            soon(this::reconnect);
        }
    }

    private void soon(Runnable work) {
        try {
            var unused = sender.schedule(work, REOPEN, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            LOG.debug("closed meanwhile", e);
        }
    }

    private <Q> void call(
            MethodDescriptor<Q, MembershipNotice> method, Q request, CallOptions options, Runnable ended) {
        StreamObserver<MembershipNotice> observer = new StreamObserver<>() {
            @Override
            public void onNext(MembershipNotice now) {
                heardNanos = RunningTime.nanos();
                if (!closed) {
                    listener.notice(now);
                    keepUpWith(now.version());
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

    /** Asks for settings that are newer than those known. Where that fails, the next heartbeat leads here again. */
    private void keepUpWith(long version) {
        if (version <= configuration.version() || !asking.compareAndSet(false, true)) {
            return;
        }
        StreamObserver<Configuration> observer = new StreamObserver<>() {
            @Override
            public void onNext(Configuration now) {
                configuration = now;
                if (!closed) {
                    listener.configured(now);
                }
            }

            @Override
            public void onError(Throwable failure) {
                LOG.debug("{} could not ask for the job's settings", self.id(), failure);
                asking.set(false);
            }

            @Override
            public void onCompleted() {
                asking.set(false);
            }
        };
        ClientCalls.asyncUnaryCall(
                channel.newCall(CoordinatorProtocol.CONFIGURATION, withinMoments()),
                CoordinatorProtocol.Done.DONE,
                observer);
    }

    private void failed(Throwable failure) {
        if (closed) {
            return;
        }
        long silent = RunningTime.millisSince(heardNanos);
        TuttiException meaning = failure instanceof StatusRuntimeException status
                ? calls.explain(status, silent)
                : calls.explain(Status.fromThrowable(failure).asRuntimeException(), silent);
        if (meaning instanceof RefusedException refused) {
            listener.refused(refused);
        } else if (silent > self.patience().coordinator()) {
            listener.alone((CoordinatorLostException) meaning);
        }
    }

    /** Stops; the connection stays open for its other users. */
    @Override
    public void close() {
        closed = true;
        sender.shutdownNow();
    }
}
