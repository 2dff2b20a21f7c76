package dev.tutti.testkit.fault;

import dev.tutti.testkit.fault.MessageFaults.Mishap;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ForwardingClientCallListener.SimpleForwardingClientCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.util.concurrent.TimeUnit;

/** Disturbs what a member says to the coordinator: messages are lost, come late or twice, connections are cut. */
public final class FaultyCalls implements ClientInterceptor {
    private final String member;
    private final MessageFaults mishaps;
    private volatile long cutUntil = System.nanoTime();

    public FaultyCalls(String member, MessageFaults mishaps) {
        this.member = member;
        this.mishaps = mishaps;
    }

    @Override
    public <Q, A> ClientCall<Q, A> interceptCall(MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
        if (method.getType() != MethodDescriptor.MethodType.UNARY) {
            return next.newCall(method, options);
        }
        Mishap mishap = mishaps.next(member, "calls");
        if (mishap.kind() == MessageFaults.Kind.CUT) {
            cutUntil = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(mishap.millis());
        }
        boolean cut = System.nanoTime() < cutUntil;
        return switch (cut ? MessageFaults.Kind.DROPPED : mishap.kind()) {
            case NONE, CUT -> next.newCall(method, options);
            case DROPPED -> new Lost<>();
            case DELAYED -> {
                pause(mishap.millis());
                yield next.newCall(method, options);
            }
            case ANSWER_DROPPED -> new Unanswered<>(next.newCall(method, options));
            case DUPLICATED -> new Twice<>(next.newCall(method, options), next.newCall(method, options));
        };
    }

    private static void pause(int millis) {
        try {
            TimeUnit.MILLISECONDS.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static Status lost(String what) {
        return Status.UNAVAILABLE.withDescription(what + " was lost on purpose");
    }

    /** Goes nowhere. */
    private static final class Lost<Q, A> extends ClientCall<Q, A> {
        @Override
        public void start(Listener<A> listener, Metadata headers) {
            listener.onClose(lost("the message"), new Metadata());
        }

        @Override
        public void request(int messages) {}

        @Override
        public void cancel(String message, Throwable cause) {}

        @Override
        public void halfClose() {}

        @Override
        public void sendMessage(Q message) {}
    }

    /** Arrives; the answer does not. */
    private static final class Unanswered<Q, A> extends SimpleForwardingClientCall<Q, A> {
        Unanswered(ClientCall<Q, A> call) {
            super(call);
        }

        @Override
        public void start(Listener<A> listener, Metadata headers) {
            super.start(
                    new SimpleForwardingClientCallListener<>(listener) {
                        @Override
                        public void onMessage(A message) {}

                        @Override
                        public void onClose(Status status, Metadata trailers) {
                            super.onClose(lost("the answer"), new Metadata());
                        }
                    },
                    headers);
        }
    }

    /** Arrives twice; the reply to the copy is dropped. */
    private static final class Twice<Q, A> extends SimpleForwardingClientCall<Q, A> {
        private final ClientCall<Q, A> copy;

        Twice(ClientCall<Q, A> call, ClientCall<Q, A> copy) {
            super(call);
            this.copy = copy;
        }

        @Override
        public void start(Listener<A> listener, Metadata headers) {
            Metadata same = new Metadata();
            same.merge(headers);
            super.start(listener, headers);
            copy.start(new Listener<>() {}, same);
            copy.request(1);
        }

        @Override
        public void sendMessage(Q message) {
            super.sendMessage(message);
            copy.sendMessage(message);
        }

        @Override
        public void halfClose() {
            super.halfClose();
            copy.halfClose();
        }
    }
}
