package dev.tutti.strategy.closure;

import dev.tutti.Experimental;
import dev.tutti.TuttiException;
import dev.tutti.comm.Member;
import dev.tutti.comm.MemberLostException;
import dev.tutti.comm.Message;
import dev.tutti.comm.MessageRefusedException;
import dev.tutti.comm.Team;
import dev.tutti.json.Json;
import dev.tutti.tensor.Tensor;
import dev.tutti.train.TrainingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;

/**
 * Hands functions out to executors: each runs one at a time, and a function whose executor is lost runs again on another one. One thread
 * schedules and joins; results may be fetched by any.
 */
@Experimental
public final class ClosureScheduler {
    private static final long LOOK_MILLIS = 20;

    private final Team team;
    private final Duration limit;
    private final Deque<Closure> waiting = new ArrayDeque<>();
    private final Set<String> busy = new HashSet<>();
    private final List<CompletableFuture<Message>> open = new ArrayList<>();

    private record Closure(String function, Message arguments, CompletableFuture<Message> result) {}

    /** @param limit how long one run of a function may take */
    public ClosureScheduler(Team team, Duration limit) {
        this.team = team;
        this.limit = limit;
    }

    /**
     * Lets an executor run a function, as soon as one is free.
     *
     * @param arguments written as JSON
     * @param tensors which are not to be changed or closed before the result is there
     * @return the result, or {@link MessageRefusedException} with what the function failed of; the caller closes it
     */
    public CompletableFuture<Message> schedule(String function, Object arguments, Tensor... tensors) {
        Message message = Message.of(Json.write(arguments).getBytes(StandardCharsets.UTF_8), tensors);
        Closure closure = new Closure(function, message, new CompletableFuture<>());
        synchronized (this) {
            waiting.add(closure);
            open.add(closure.result);
        }
        handOut();
        return closure.result;
    }

    private void handOut() {
        List<Member> members = team.members(ExecutorProgram.ROLE);
        synchronized (this) {
            for (Member member : members) {
                if (!waiting.isEmpty() && busy.add(member.id())) {
                    run(waiting.poll(), member);
                }
            }
        }
    }

    private void run(Closure closure, Member member) {
        var unused = team.messages()
                .ask(member, ExecutorProgram.RUN + closure.function, closure.arguments, limit)
                .whenComplete((answer, failure) -> done(closure, member, answer, failure));
    }

    private void done(Closure closure, Member member, Message answer, Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        synchronized (this) {
            busy.remove(member.id());
            if (cause instanceof MemberLostException) {
                waiting.addFirst(closure); // it runs again elsewhere
                return;
            }
            open.remove(closure.result);
        }
        if (cause == null) {
            closure.result.complete(answer);
        } else {
            closure.result.completeExceptionally(cause);
        }
    }

    /** Waits until all functions that were scheduled are done, well or not. */
    public void join(Duration most) {
        long deadline = System.nanoTime() + most.toNanos();
        while (true) {
            handOut();
            CompletableFuture<?>[] left;
            synchronized (this) {
                left = open.toArray(CompletableFuture[]::new);
            }
            if (left.length == 0) {
                return;
            }
            if (System.nanoTime() > deadline) {
                throw new TrainingException(left.length + " functions were not done within " + most.toSeconds()
                        + " s; executors are " + team.members(ExecutorProgram.ROLE));
            }
            pause();
        }
    }

    /** The result of a function, when it is there; functions that wait are handed out meanwhile. */
    public Message fetch(CompletableFuture<Message> result, Duration most) {
        long deadline = System.nanoTime() + most.toNanos();
        while (!result.isDone() && System.nanoTime() < deadline) {
            handOut();
            pause();
        }
        if (!result.isDone()) {
            throw new TrainingException("a function was not done within " + most.toSeconds() + " s; executors are "
                    + team.members(ExecutorProgram.ROLE));
        }
        try {
            return result.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof TuttiException known
                    ? known
                    : new TrainingException(e.getCause().toString());
        }
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new TrainingException("interrupted while waiting for functions");
        }
    }
}
