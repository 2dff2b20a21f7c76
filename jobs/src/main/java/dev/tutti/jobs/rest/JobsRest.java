package dev.tutti.jobs.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import dev.tutti.cluster.CoordinatorFolder;
import dev.tutti.cluster.coordinator.Overview;
import dev.tutti.cluster.rpc.CoordinatorClient;
import dev.tutti.jobs.JobFolder;
import dev.tutti.jobs.JobRecord;
import dev.tutti.jobs.queue.JobService;
import dev.tutti.jobs.queue.JobSubmission;
import dev.tutti.json.Json;
import dev.tutti.serve.ServeException;
import dev.tutti.serve.ServeException.Reason;
import dev.tutti.serve.http.EndpointServer;
import dev.tutti.serve.http.Role;
import dev.tutti.serve.http.RouteDescription;
import dev.tutti.serve.protocol.Endpoint;
import dev.tutti.serve.protocol.HttpCall;
import dev.tutti.serve.protocol.JsonReply;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/** Jobs over REST: submit, list, follow, logs, settings, pause, cancel, resume, delete. */
public final class JobsRest {
    private static final String JSON = "application/json";
    private static final int LONGEST_LOG = 256 << 10;
    private static final long COORDINATOR_MILLIS = 2_000;

    private final JobService jobs;

    public JobsRest(JobService jobs) {
        this.jobs = jobs;
    }

    public void addTo(EndpointServer server) {
        server.route(
                RouteDescription.post("/api/jobs", Role.SUBMIT, "Submits a job.", JSON)
                        .as("JobSubmission"),
                blocking(this::submit));
        server.route(RouteDescription.get("/api/jobs", Role.SUBMIT, "All jobs."), blocking(this::list));
        server.route(RouteDescription.get("/api/jobs/{id}", Role.SUBMIT, "One job."), blocking(this::show));
        server.route(
                RouteDescription.get("/api/jobs/{id}/events", Role.SUBMIT, "Progress as server-sent events."),
                this::follow);
        server.route(
                RouteDescription.get("/api/jobs/{id}/log", Role.SUBMIT, "The end of the log."), blocking(this::log));
        server.route(
                RouteDescription.get("/api/jobs/{id}/members", Role.SUBMIT, "Members of a job in several JVMs."),
                blocking(this::members));
        server.route(
                new RouteDescription(
                                HttpMethod.PUT,
                                "/api/jobs/{id}/settings",
                                Role.SUBMIT,
                                "Changes settings while the job runs, such as {\"learningRate\": \"0.001\"}.",
                                List.of(JSON))
                        .as("JobSettings"),
                blocking(this::configure));
        server.route(
                RouteDescription.post("/api/jobs/{id}/pause", Role.SUBMIT, "Writes a checkpoint and stops."),
                blocking(changing(jobs::pause)));
        server.route(
                RouteDescription.post("/api/jobs/{id}/cancel", Role.SUBMIT, "Stops for good."),
                blocking(changing(jobs::cancel)));
        server.route(
                RouteDescription.post("/api/jobs/{id}/resume", Role.SUBMIT, "Goes on from the checkpoint."),
                blocking(changing(jobs::resume)));
        server.route(
                new RouteDescription(
                        HttpMethod.DELETE, "/api/jobs/{id}", Role.SUBMIT, "Deletes a job's files.", List.of()),
                blocking(this::delete));
        server.route(
                RouteDescription.get("/api/resources", Role.SUBMIT, "Cores, memory and the queue."),
                blocking(this::resources));
    }

    /** Files are read and written on threads that may wait. */
    private static Endpoint blocking(Function<HttpCall, HttpResponse> work) {
        return call -> CompletableFuture.supplyAsync(
                () -> work.apply(call), call.context().blockingTaskExecutor());
    }

    private HttpResponse submit(HttpCall call) {
        JobSubmission submission = Json.read(call.request().contentUtf8(), JobSubmission.class, "body");
        return JsonReply.of(HttpStatus.CREATED, jobs.submit(submission, call.caller()));
    }

    private HttpResponse list(HttpCall call) {
        return JsonReply.ok(Map.of("jobs", jobs.jobs()));
    }

    private HttpResponse show(HttpCall call) {
        JobRecord job = jobs.job(call.variable("id"));
        JobFolder folder = jobs.folder(job.id());
        Map<String, Object> about = new LinkedHashMap<>();
        about.put("record", job);
        about.put("settings", folder.settings());
        try {
            about.put("job", Files.readString(folder.job()));
            if (Files.isRegularFile(folder.run().result())) {
                about.put("result", Json.read(folder.run().result(), JsonNode.class));
            }
        } catch (IOException e) {
            throw new ServeException(Reason.NOT_FOUND, "the files of job " + job.id() + " cannot be read", e);
        }
        return JsonReply.ok(about);
    }

    private CompletionStage<HttpResponse> follow(HttpCall call) {
        String id = jobs.job(call.variable("id")).id();
        String last = call.request().headers().get("last-event-id", "0");
        long offset = last.matches("[0-9]{1,15}") ? Long.parseLong(last) : 0;
        return CompletableFuture.completedFuture(ProgressFollower.follow(jobs, id, call.context(), offset));
    }

    private HttpResponse log(HttpCall call) {
        Path file = jobs.folder(jobs.job(call.variable("id")).id()).log();
        if (!Files.isRegularFile(file)) {
            return HttpResponse.of(HttpStatus.OK, MediaType.PLAIN_TEXT_UTF_8, HttpData.empty());
        }
        try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "r")) {
            byte[] end = new byte[(int) Math.min(LONGEST_LOG, in.length())];
            in.seek(in.length() - end.length);
            in.readFully(end);
            return HttpResponse.of(
                    HttpStatus.OK,
                    MediaType.PLAIN_TEXT_UTF_8,
                    HttpData.ofUtf8(new String(end, StandardCharsets.UTF_8)));
        } catch (IOException e) {
            throw new ServeException(Reason.NOT_FOUND, "the log cannot be read", e);
        }
    }

    /** Empty for a job in one JVM, which has no coordinator, and for one that does not run. */
    private HttpResponse members(HttpCall call) {
        JobRecord job = jobs.job(call.variable("id"));
        CoordinatorFolder coordinator =
                new CoordinatorFolder(jobs.folder(job.id()).run().coordinator());
        if (!job.state().isActive() || !coordinator.exists()) {
            return JsonReply.ok(Map.of("members", List.of()));
        }
        try (CoordinatorClient client = new CoordinatorClient(coordinator.address(null)).patience(COORDINATOR_MILLIS)) {
            Overview overview = client.overview();
            return JsonReply.ok(overview);
        }
    }

    private HttpResponse configure(HttpCall call) {
        Map<String, String> changes = new TreeMap<>();
        Json.read(call.request().contentUtf8(), JsonNode.class, "body")
                .properties()
                .forEach(entry -> changes.put(entry.getKey(), entry.getValue().asText()));
        requireOwn(call);
        return JsonReply.ok(Map.of("settings", jobs.configure(call.variable("id"), changes)));
    }

    private Function<HttpCall, HttpResponse> changing(Function<String, JobRecord> change) {
        return call -> {
            requireOwn(call);
            return JsonReply.ok(change.apply(call.variable("id")));
        };
    }

    private HttpResponse delete(HttpCall call) {
        requireOwn(call);
        jobs.delete(call.variable("id"));
        return JsonReply.ok(Map.of("deleted", call.variable("id")));
    }

    private void requireOwn(HttpCall call) {
        JobRecord job = jobs.job(call.variable("id"));
        if (!call.admin() && !job.user().equals(call.caller())) {
            throw new ServeException(
                    Reason.FORBIDDEN,
                    "job " + job.id() + " is one of '" + job.user() + "': only they or an admin may change it");
        }
    }

    private HttpResponse resources(HttpCall call) {
        Map<String, Object> about = new LinkedHashMap<>();
        about.put("machine", jobs.machine());
        about.put("free", jobs.free());
        about.put("queue", jobs.queue());
        about.put("usedCoreSeconds", jobs.usedCoreSeconds());
        about.put("memoryMegabytes", jobs.memory());
        return JsonReply.ok(about);
    }
}
