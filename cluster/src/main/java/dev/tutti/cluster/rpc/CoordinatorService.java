package dev.tutti.cluster.rpc;

import dev.tutti.TuttiException;
import dev.tutti.cluster.coordinator.Coordinator;
import dev.tutti.cluster.coordinator.Event;
import dev.tutti.cluster.coordinator.Fact;
import dev.tutti.cluster.coordinator.MembershipNotice;
import dev.tutti.cluster.coordinator.RefusedException;
import dev.tutti.train.Version;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Turns calls of members into events of the coordinator, and what it decided into answers. */
final class CoordinatorService {
    private static final Logger LOG = LoggerFactory.getLogger(CoordinatorService.class);
    /** How long a question waits here before the member is told to ask again, so that a lost answer is noticed. */
    static final long POLL = 4_000;

    private final LiveCoordinator live;
    private final Map<String, Map.Entry<Long, Optional<GroupChange>>> changes = new ConcurrentHashMap<>();
    private final Map<String, Consumer<Coordinator>> watching = new ConcurrentHashMap<>();

    CoordinatorService(LiveCoordinator live) {
        this.live = live;
    }

    ServerServiceDefinition definition() {
        ServerServiceDefinition.Builder builder = ServerServiceDefinition.builder(CoordinatorProtocol.SERVICE);
        unary(builder, CoordinatorProtocol.JOIN, this::join);
        unary(builder, CoordinatorProtocol.LEAVE, leave -> {
            live.apply(new Event.Leave(known(leave.caller()), leave.why(), leave.done()));
            return CoordinatorProtocol.Done.DONE;
        });
        unary(builder, CoordinatorProtocol.HEARTBEAT, beat -> {
            live.apply(new Event.Heartbeat(known(beat.caller()), beat.report()));
            return live.ask(
                    (Coordinator machine) -> machine.notice(beat.caller().member()));
        });
        builder.addMethod(
                received(CoordinatorProtocol.WATCH),
                ServerCalls.asyncServerStreamingCall(
                        (Received<CoordinatorProtocol.Caller> caller, StreamObserver<MembershipNotice> stream) -> {
                            if (caller.problem() == null) {
                                watch(caller.message(), stream);
                            } else {
                                stream.onError(caller.problem());
                            }
                        }));
        async(builder, CoordinatorProtocol.MEET, this::meet);
        unary(builder, CoordinatorProtocol.POST, post -> {
            live.apply(new Event.Post(known(post.caller()), post.generation(), post.name(), post.note()));
            return CoordinatorProtocol.Done.DONE;
        });
        async(builder, CoordinatorProtocol.READ, this::read);
        unary(builder, CoordinatorProtocol.BEGIN, begin -> {
            live.apply(new Event.Begin(
                    known(begin.caller()), begin.dataset(), begin.epoch(), begin.chunks(), begin.used()));
            return CoordinatorProtocol.Done.DONE;
        });
        unary(builder, CoordinatorProtocol.LEASE, this::lease);
        unary(builder, CoordinatorProtocol.USE, use -> {
            live.apply(new Event.Use(known(use.caller()), use.dataset(), use.epoch(), use.chunks()));
            return CoordinatorProtocol.Done.DONE;
        });
        unary(builder, CoordinatorProtocol.GIVE_BACK, back -> {
            live.apply(new Event.GiveBack(known(back.caller()), back.dataset(), back.epoch()));
            return CoordinatorProtocol.Done.DONE;
        });
        unary(
                builder,
                CoordinatorProtocol.USED,
                asked -> new CoordinatorProtocol.Chunks(
                        null,
                        asked.dataset(),
                        asked.epoch(),
                        live.ask((Coordinator machine) -> machine.used(asked.dataset(), asked.epoch()))));
        unary(builder, CoordinatorProtocol.CONFIGURE, setting -> {
            live.apply(new Event.Configure(setting.key(), setting.value()));
            return live.ask(Coordinator::configuration);
        });
        unary(builder, CoordinatorProtocol.CONFIGURATION, asked -> live.ask(Coordinator::configuration));
        unary(builder, CoordinatorProtocol.EXITED, exited -> {
            live.apply(new Event.Exited(exited.process(), exited.how()));
            return CoordinatorProtocol.Done.DONE;
        });
        unary(builder, CoordinatorProtocol.OVERVIEW, asked -> live.ask(Coordinator::overview));
        new RoleService(live, this::known).addTo(builder);
        return builder.build();
    }

    private CoordinatorProtocol.Joined join(CoordinatorProtocol.Join asked) {
        requireVersion(asked);
        List<Fact> facts = live.apply(new Event.Join(
                asked.session(),
                asked.wish(),
                asked.role(),
                asked.host(),
                asked.process(),
                asked.trainings(),
                asked.machine(),
                asked.settings()));
        Fact.Joined joined = (Fact.Joined) facts.get(0);
        return new CoordinatorProtocol.Joined(joined.member(), live.rules().patience());
    }

    /** Members compute the same bits only if they run the same code. */
    private static void requireVersion(CoordinatorProtocol.Join asked) {
        if (!Version.current().equals(asked.version())) {
            throw new RefusedException(
                    RefusedException.Kind.OTHER_JOB,
                    (asked.wish() == null ? "a new " + asked.role() : asked.wish()) + " on " + asked.host()
                            + " runs version " + asked.version() + " of Tutti, the coordinator version "
                            + Version.current() + ": expected the same version on all machines of a job");
        }
    }

    private CoordinatorProtocol.Leased lease(CoordinatorProtocol.Lease asked) {
        List<Fact> facts = live.apply(new Event.Lease(
                known(asked.caller()), asked.dataset(), asked.epoch(), asked.held(), asked.preference()));
        return new CoordinatorProtocol.Leased(facts.stream()
                .filter(Fact.Leased.class::isInstance)
                .map(fact -> ((Fact.Leased) fact).chunk())
                .findFirst()
                .orElse(-1));
    }

    private CompletableFuture<CoordinatorProtocol.Met> meet(CoordinatorProtocol.Meet asked) {
        String member = known(asked.caller());
        live.apply(new Event.Meet(member, asked.after(), asked.progress(), asked.accused()));
        Function<Coordinator, Optional<CoordinatorProtocol.Met>> question =
                machine -> machine.groupOf(member, asked.after()).map(group -> {
                    Optional<GroupChange> change = change(machine, group).filter(one -> one.base() == asked.knows());
                    return new CoordinatorProtocol.Met(
                            group.generation(),
                            change.isPresent() ? null : machine.members(group),
                            change.orElse(null),
                            group.source(),
                            group.takeOver());
                });
        return live.await(question, Math.min(POLL, asked.millis()))
                .thenApply(met -> met == null ? new CoordinatorProtocol.Met(0, null, null, 0, false) : met);
    }

    /** What members of the group before are told; found once for each group. Called under the coordinator's lock. */
    private Optional<GroupChange> change(Coordinator machine, Fact.Formed group) {
        Map.Entry<Long, Optional<GroupChange>> known = changes.get(group.role());
        if (known == null || known.getKey() != group.generation()) {
            Optional<GroupChange> change = machine.groupBefore(group)
                    .flatMap(before ->
                            GroupChange.between(before.generation(), machine.members(before), machine.members(group)));
            known = Map.entry(group.generation(), change);
            changes.put(group.role(), known);
        }
        return known.getValue();
    }

    private CompletableFuture<CoordinatorProtocol.Note> read(CoordinatorProtocol.Read asked) {
        String member = known(asked.caller());
        return live.await(
                        machine -> machine.note(member, asked.generation(), asked.name()),
                        Math.min(POLL, asked.millis()))
                .thenApply(CoordinatorProtocol.Note::new);
    }

    private void watch(CoordinatorProtocol.Caller caller, StreamObserver<MembershipNotice> observer) {
        ServerCallStreamObserver<MembershipNotice> stream = (ServerCallStreamObserver<MembershipNotice>) observer;
        try {
            String member = known(caller);
            Consumer<Coordinator> watcher = new Consumer<>() {
                private MembershipNotice told;

                @Override
                public void accept(Coordinator machine) {
                    MembershipNotice now = machine.notice(member);
                    if (!now.equals(told) && !stream.isCancelled()) {
                        told = now;
                        stream.onNext(now);
                    }
                }
            };
            watching.put(member, watcher);
            stream.setOnCancelHandler(() -> {
                live.unwatch(watcher);
                // The end of an old connection may be noticed after the beginning of the next.
                if (watching.remove(member, watcher)) {
                    disconnected(member);
                }
            });
            live.apply(new Event.Connected(member));
            live.watch(watcher);
        } catch (TuttiException e) {
            stream.onError(status(e));
        }
    }

    private void disconnected(String member) {
        try {
            live.apply(new Event.Disconnected(member));
        } catch (TuttiException e) {
            LOG.debug("{} went while the coordinator was closing", member, e);
        }
    }

    private String known(CoordinatorProtocol.Caller caller) {
        if (caller == null) {
            throw new RefusedException(RefusedException.Kind.UNKNOWN, "the call does not say which member makes it");
        }
        if (!live.ask((Coordinator machine) -> machine.isSession(caller.member(), caller.session()))) {
            throw new RefusedException(
                    RefusedException.Kind.UNKNOWN,
                    "the coordinator does not know " + caller.member() + " under this session: join first");
        }
        return caller.member();
    }

    static <Q, A> void unary(
            ServerServiceDefinition.Builder builder, MethodDescriptor<Q, A> method, Function<Q, A> work) {
        async(builder, method, request -> CompletableFuture.completedFuture(work.apply(request)));
    }

    static <Q, A> void async(
            ServerServiceDefinition.Builder builder,
            MethodDescriptor<Q, A> method,
            Function<Q, CompletableFuture<A>> work) {
        builder.addMethod(received(method), ServerCalls.asyncUnaryCall((request, observer) -> {
            if (request.problem() != null) {
                observer.onError(request.problem());
                return;
            }
            try {
                var unused = work.apply(request.message()).whenComplete((answer, failure) -> {
                    if (failure != null) {
                        observer.onError(status(failure));
                    } else if (!((ServerCallStreamObserver<A>) observer).isCancelled()) {
                        observer.onNext(answer);
                        observer.onCompleted();
                    }
                });
            } catch (TuttiException e) {
                observer.onError(status(e));
            } catch (RuntimeException e) {
                LOG.error("A fault in the coordinator's call {}", method.getFullMethodName(), e);
                observer.onError(Status.INTERNAL
                        .withDescription("a fault in the coordinator: " + e)
                        .asRuntimeException());
            }
        }));
    }

    private static <Q, A> MethodDescriptor<Received<Q>, A> received(MethodDescriptor<Q, A> method) {
        return method.toBuilder(Received.by(method.getRequestMarshaller()), method.getResponseMarshaller())
                .build();
    }

    private static Throwable status(Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        if (cause instanceof RefusedException refused) {
            Metadata trailers = new Metadata();
            trailers.put(CoordinatorProtocol.KIND, refused.kind().name());
            trailers.put(CoordinatorProtocol.MEMBERS, String.join(",", refused.members()));
            return Status.FAILED_PRECONDITION
                    .withDescription(refused.getMessage())
                    .asRuntimeException(trailers);
        }
        // Closed or without a disk: members wait and ask again, as if it were not there.
        return Status.UNAVAILABLE.withDescription(cause.getMessage()).asRuntimeException();
    }
}
