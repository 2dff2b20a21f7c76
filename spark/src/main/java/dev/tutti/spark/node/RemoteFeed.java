package dev.tutti.spark.node;

import dev.tutti.comm.Member;
import dev.tutti.comm.Message;
import dev.tutti.comm.MessageHandler;
import dev.tutti.comm.MessageRefusedException;
import dev.tutti.comm.Messages;
import dev.tutti.data.DataException;
import dev.tutti.tensor.Tensor;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The feed of a worker on another executor, some rows to a message. */
final class RemoteFeed {
    private static final String FEED = "node-feed";
    private static final String ASK = "node-ask";
    private static final int ROWS = 512;
    private static final Duration LIMIT = DataFeed.SILENCE.plusSeconds(30);

    private final Messages messages;
    private final Member worker;

    RemoteFeed(Messages messages, Member worker) {
        this.messages = messages;
        this.worker = worker;
    }

    /** Lets tasks on other executors feed a worker. @param waiting runs what waits for the worker to take rows */
    static void serve(Messages messages, DataFeed feed, Executor waiting) {
        messages.serve(FEED, handler(waiting, rows -> {
            feed.feed(rows.iterator());
            return List.of();
        }));
        messages.serve(ASK, handler(waiting, rows -> {
            List<float[]> answers = new ArrayList<>();
            feed.ask(rows.iterator()).forEachRemaining(answers::add);
            return answers;
        }));
    }

    private interface Answer {
        List<float[]> to(List<float[]> rows);
    }

    private static MessageHandler handler(Executor waiting, Answer answer) {
        return request -> {
            List<float[]> rows = rows(request.message());
            CompletableFuture<Message> later = new CompletableFuture<>();
            waiting.execute(() -> {
                try {
                    List<float[]> answers = answer.to(rows);
                    try (Message message = message(answers)) {
                        later.complete(message);
                    }
                } catch (RuntimeException e) {
                    later.completeExceptionally(new MessageRefusedException("feed", e.getMessage()));
                }
            });
            return later;
        };
    }

    void feed(Iterator<float[]> rows) {
        while (rows.hasNext()) {
            tell(FEED, rows);
        }
    }

    Iterator<float[]> ask(Iterator<float[]> rows) {
        List<float[]> answers = new ArrayList<>();
        while (rows.hasNext()) {
            answers.addAll(tell(ASK, rows));
        }
        return answers.iterator();
    }

    private List<float[]> tell(String topic, Iterator<float[]> rows) {
        List<float[]> some = new ArrayList<>();
        while (rows.hasNext() && some.size() < ROWS) {
            some.add(rows.next());
        }
        try (Message question = message(some);
                Message answer =
                        messages.ask(worker, topic, question, LIMIT).get(LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
            return rows(answer);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new DataException("interrupted while a node was fed", e);
        } catch (ExecutionException e) {
            throw new DataException(e.getCause().getMessage(), e.getCause());
        } catch (TimeoutException e) {
            throw new DataException("the node " + worker + " has not answered within " + LIMIT.toSeconds() + " s", e);
        }
    }

    /** The lengths of rows, then all of their numbers. */
    private static Message message(List<float[]> rows) {
        ByteBuffer lengths = ByteBuffer.allocate(rows.size() * Integer.BYTES);
        float[] all = new float[rows.stream().mapToInt(row -> row.length).sum()];
        int at = 0;
        for (float[] row : rows) {
            lengths.putInt(row.length);
            System.arraycopy(row, 0, all, at, row.length);
            at += row.length;
        }
        return at == 0 ? Message.of(lengths.array()) : Message.of(lengths.array(), Tensor.of(all, at));
    }

    private static List<float[]> rows(Message message) {
        float[] all = message.body().isEmpty()
                ? new float[0]
                : message.body().get(0).toArray().floats();
        ByteBuffer lengths = ByteBuffer.wrap(message.head());
        List<float[]> rows = new ArrayList<>();
        int at = 0;
        while (lengths.hasRemaining()) {
            float[] row = new float[lengths.getInt()];
            System.arraycopy(all, at, row, 0, row.length);
            at += row.length;
            rows.add(row);
        }
        return rows;
    }
}
