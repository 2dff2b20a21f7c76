package dev.tutti.jobs.rest;

import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpResponseWriter;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.common.ResponseHeaders;
import com.linecorp.armeria.server.ServiceRequestContext;
import dev.tutti.jobs.JobRecord;
import dev.tutti.jobs.JobState;
import dev.tutti.jobs.queue.JobService;
import dev.tutti.json.Json;
import dev.tutti.serve.ServeException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * Sends a job's progress as server-sent events: {@code progress} for each line of its file, {@code state} when the job changes,
 * {@code end} when it is over. The id of an event is the place in the file, so a client that lost its connection goes on from there.
 */
final class ProgressFollower {
    private static final long PAUSE_MILLIS = 250;
    private static final int LONGEST_READ = 256 << 10;

    private final JobService jobs;
    private final String id;
    private final ServiceRequestContext context;
    private final HttpResponseWriter response = HttpResponse.streaming();
    private long offset;
    private JobState state;
    private int silent;

    private ProgressFollower(JobService jobs, String id, ServiceRequestContext context, long offset) {
        this.jobs = jobs;
        this.id = id;
        this.context = context;
        this.offset = offset;
    }

    static HttpResponse follow(JobService jobs, String id, ServiceRequestContext context, long offset) {
        context.clearRequestTimeout();
        ProgressFollower follower = new ProgressFollower(jobs, id, context, offset);
        follower.response.write(ResponseHeaders.builder(HttpStatus.OK)
                .contentType(MediaType.EVENT_STREAM)
                .set(HttpHeaderNames.CACHE_CONTROL, "no-store")
                .build());
        follower.later(0);
        return follower.response;
    }

    private void later(long millis) {
        var unused = context.blockingTaskExecutor().schedule(this::look, millis, TimeUnit.MILLISECONDS);
    }

    private void look() {
        if (!response.isOpen()) {
            return;
        }
        try {
            JobRecord job = jobs.job(id);
            boolean over = job.state().isOver() || job.state() == JobState.PAUSED; // before the last lines are read
            if (!over) {
                sendState(job);
            }
            boolean more = lines();
            if (over && !more) { // all that happened comes before the end
                sendState(job);
                send("end", "{}");
                response.close();
                return;
            }
            if (++silent % 40 == 0) {
                response.write(HttpData.ofUtf8(": still here\n\n"));
            }
            later(more ? 0 : PAUSE_MILLIS);
        } catch (ServeException | IOException e) {
            response.close(); // the job was deleted
        }
    }

    private void sendState(JobRecord job) {
        if (job.state() != state) {
            state = job.state();
            send("state", Json.write(job).replace("\n", " "));
        }
    }

    /** Sends whole lines only; true if there may be more at once. */
    private boolean lines() throws IOException {
        Path file = jobs.folder(id).progress();
        if (!Files.isRegularFile(file)) {
            return false;
        }
        try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "r")) {
            long length = in.length();
            if (length <= offset) {
                return false;
            }
            byte[] part = new byte[(int) Math.min(LONGEST_READ, length - offset)];
            in.seek(offset);
            in.readFully(part);
            int from = 0;
            for (int i = 0; i < part.length; i++) {
                if (part[i] == '\n') {
                    offset += i + 1 - from;
                    send("progress", new String(part, from, i - from, StandardCharsets.UTF_8));
                    from = i + 1;
                }
            }
            return from > 0 && offset < length;
        }
    }

    private void send(String event, String data) {
        response.write(HttpData.ofUtf8("event: " + event + "\nid: " + offset + "\ndata: " + data + "\n\n"));
    }
}
