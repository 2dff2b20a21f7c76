package dev.tutti.federated.server;

import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.server.ServiceRequestContext;
import dev.tutti.federated.wire.WorkItem;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** Clients whose question for work is answered when there is some; a waiting client holds a connection and no thread. */
final class WaitingClients {
    private record Waiting(CompletableFuture<HttpResponse> answer, ScheduledFuture<?> end) {}

    private final Function<String, WorkItem> work;
    private final Function<WorkItem, HttpResponse> reply;
    private final Map<String, Waiting> waiting = new LinkedHashMap<>();

    WaitingClients(Function<String, WorkItem> work, Function<WorkItem, HttpResponse> reply) {
        this.work = work;
        this.reply = reply;
    }

    /** The client's next work: at once, or when there is some, or nothing after a while. */
    CompletableFuture<HttpResponse> ask(ServiceRequestContext context, String client, long millis) {
        WorkItem item = work.apply(client);
        if (!item.kind().equals(WorkItem.WAIT) || millis <= 0) {
            return CompletableFuture.completedFuture(reply.apply(item));
        }
        CompletableFuture<HttpResponse> answer = new CompletableFuture<>();
        ScheduledFuture<?> end =
                context.eventLoop().schedule(() -> release(client, answer), millis, TimeUnit.MILLISECONDS);
        Waiting before;
        synchronized (waiting) {
            before = waiting.put(client, new Waiting(answer, end));
        }
        if (before != null) { // the client has asked anew, so its old connection is of no use
            finish(before, WorkItem.of(WorkItem.WAIT, item.round(), 0));
        }
        tell(client); // work may have come since it was asked for
        return answer;
    }

    private void release(String client, CompletableFuture<HttpResponse> answer) {
        synchronized (waiting) {
            Waiting own = waiting.get(client);
            if (own != null && own.answer == answer) {
                waiting.remove(client);
            }
        }
        answer.complete(reply.apply(work.apply(client)));
    }

    /** Looks for work for all who wait. */
    void tellAll() {
        List<String> clients;
        synchronized (waiting) {
            clients = new ArrayList<>(waiting.keySet());
        }
        clients.forEach(this::tell);
    }

    private void tell(String client) {
        WorkItem item = work.apply(client);
        if (item.kind().equals(WorkItem.WAIT)) {
            return;
        }
        Waiting own;
        synchronized (waiting) {
            own = waiting.remove(client);
        }
        if (own != null) {
            finish(own, item);
        }
    }

    private void finish(Waiting own, WorkItem item) {
        own.end.cancel(false);
        own.answer.complete(reply.apply(item));
    }

    int count() {
        synchronized (waiting) {
            return waiting.size();
        }
    }
}
