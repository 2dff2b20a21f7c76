package dev.tutti.plan;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** Steps with parameter servers: of the nodes some hold shards of the parameters, the others compute. */
final class ServerTimes {
    private final JobProfile job;
    private final CollectiveTimes times;
    private final ReplicatedTimes replicated;

    ServerTimes(JobProfile job, CollectiveTimes times) {
        this.job = job;
        this.times = times;
        replicated = new ReplicatedTimes(job, times);
    }

    /** With one server, a quarter and a half of the nodes as servers. */
    List<StepEstimate> of(int nodes) {
        List<StepEstimate> all = new ArrayList<>();
        if (nodes > 1) {
            for (int servers : new TreeSet<>(List.of(1, Math.max(1, nodes / 4), nodes / 2))) {
                all.add(synchronous(nodes, servers));
                all.add(asynchronous(nodes, servers));
            }
        }
        return all;
    }

    /** All workers push, agree, the chief lets the servers apply the sum, all pull. */
    StepEstimate synchronous(int nodes, int servers) {
        int workers = nodes - servers;
        double share = ReplicatedTimes.share(job, workers);
        double compute = job.compute().seconds(share);
        Exchanged push = transfer(workers, servers, job.vectorBytes(), 0);
        Exchanged commit = times.ask(200, 200);
        Exchanged pull = transfer(workers, servers, 0, job.vectorBytes());
        Exchanged all = push.then(replicated.agreement(workers)).then(commit).then(pull);
        double seconds = compute + all.seconds() + job.updateSeconds() / servers;
        double kept = (double) workers * job.vectorBytes() / servers; // gradients wait for the agreement
        return estimate("synchronous", true, nodes, servers, share, Math.max(seconds, feed(share)), all, kept);
    }

    /** Workers have batches of their own and wait for no other; the servers' links and updates bound what all of them do together. */
    StepEstimate asynchronous(int nodes, int servers) {
        int workers = nodes - servers;
        double compute = job.compute().seconds(job.batch());
        Exchanged own = times.ask(job.vectorBytes(), 0)
                .then(times.ask(0, job.vectorBytes()))
                .then(times.ask(200, 200));
        double worker = Math.max(
                compute + own.seconds() + job.updateSeconds() / servers, job.batch() * job.feedSecondsPerRow());
        double link = times.secondsOf((double) job.vectorBytes() / servers);
        long batches = job.steps().isEmpty() ? workers : Math.max(1, job.steps().getAsLong() / job.epochs());
        double perBatch = Math.max(
                worker / Math.min(workers, batches), // an epoch has no more work than its batches
                Math.max(link, job.updateSeconds() / servers));
        return estimate("asynchronous", false, nodes, servers, job.batch(), perBatch, own, 0);
    }

    /** All workers at the same time with all servers: the busier side of the links decides. */
    private Exchanged transfer(int workers, int servers, double pushed, double pulled) {
        double busier = Math.max(1, (double) workers / servers);
        Exchanged one = times.ask(pushed, pulled);
        double more = times.secondsOf((pushed + pulled) * (busier - 1));
        return new Exchanged(one.bytes(), one.messageBytes(), one.rounds(), one.seconds() + more);
    }

    private double feed(double rows) {
        return rows * job.feedSecondsPerRow();
    }

    private StepEstimate estimate(
            String agreement,
            boolean exact,
            int nodes,
            int servers,
            double rows,
            double seconds,
            Exchanged exchanged,
            double keptByServer) {
        Map<String, Object> settings = new LinkedHashMap<>();
        settings.put("type", "parameterServer");
        settings.put("servers", servers);
        settings.put(agreement, true);
        double server = (double) job.vectorBytes() / servers * (1 + job.stateVectors()) + keptByServer;
        return new StepEstimate(
                "parameter servers, " + agreement + ", " + servers + (servers == 1 ? " server" : " servers"),
                settings,
                exact,
                false,
                nodes,
                job.batch(),
                seconds,
                job.compute().seconds(rows),
                exchanged,
                Math.max(server, ReplicatedTimes.wholeModelBytes(job, rows)));
    }
}
