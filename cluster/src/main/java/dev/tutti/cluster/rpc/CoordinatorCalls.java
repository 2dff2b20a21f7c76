package dev.tutti.cluster.rpc;

import dev.tutti.TuttiException;
import dev.tutti.cluster.coordinator.RefusedException;
import dev.tutti.host.RunningTime;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Calls the coordinator within a deadline, again and again while it is away. Every call may be made twice without harm. */
final class CoordinatorCalls {
    /** The longest that one attempt takes: an answer that has not come by then was lost. */
    private static final long ATTEMPT = 8_000;

    private final CoordinatorAddress address;
    private final ManagedChannel channel;

    CoordinatorCalls(CoordinatorAddress address, ManagedChannel channel) {
        this.address = address;
        this.channel = channel;
    }

    /**
     * Calls and waits for the answer.
     *
     * @throws RefusedException if the coordinator says no
     * @throws CoordinatorLostException if it was not reached in time
     */
    <Q, A> A call(MethodDescriptor<Q, A> method, Q request, long millis) {
        long begin = RunningTime.nanos();
        while (true) {
            long left = millis - RunningTime.millisSince(begin);
            CallOptions options = CallOptions.DEFAULT
                    .withWaitForReady()
                    .withDeadlineAfter(Math.max(1, Math.min(left, ATTEMPT)), TimeUnit.MILLISECONDS);
            try {
                return ClientCalls.blockingUnaryCall(channel, method, options, request);
            } catch (StatusRuntimeException e) {
                long passed = RunningTime.millisSince(begin);
                // A coordinator that is ended cancels what it was asked.
                boolean again = List.of(Status.Code.UNAVAILABLE, Status.Code.DEADLINE_EXCEEDED, Status.Code.CANCELLED)
                                .contains(e.getStatus().getCode())
                        && !channel.isShutdown();
                if (!again || passed >= millis || Thread.currentThread().isInterrupted()) {
                    throw explain(e, passed);
                }
                channel.resetConnectBackoff();
                pause(Math.min(50, millis - passed), e, passed);
            }
        }
    }

    /** A server that closes answers at once that it is not there: without a pause that would be asked in a circle. */
    private void pause(long millis, StatusRuntimeException e, long passed) {
        try {
            TimeUnit.MILLISECONDS.sleep(millis);
        } catch (InterruptedException interrupt) {
            Thread.currentThread().interrupt();
            throw explain(e, passed);
        }
    }

    /** What a failed call means. */
    TuttiException explain(StatusRuntimeException e, long passed) {
        Status status = e.getStatus();
        Metadata trailers = e.getTrailers();
        String kind = trailers == null ? null : trailers.get(CoordinatorProtocol.KIND);
        if (kind != null) {
            String members = trailers.get(CoordinatorProtocol.MEMBERS);
            return new RefusedException(
                    RefusedException.Kind.valueOf(kind),
                    status.getDescription(),
                    members == null || members.isEmpty() ? List.of() : List.of(members.split(",", -1)));
        }
        String what = switch (status.getCode()) {
            case UNAUTHENTICATED -> " does not let us in: " + status.getDescription();
            case UNAVAILABLE, DEADLINE_EXCEEDED ->
                " was not reached for " + passed / 1000.0 + " s: is it running, and at this address?";
            case CANCELLED -> " was not waited for: this member is closing";
            default -> " could not answer: " + status.getCode() + " " + status.getDescription();
        };
        return new CoordinatorLostException("the coordinator at " + address + what, e);
    }
}
