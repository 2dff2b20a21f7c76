package dev.tutti.bench.network;

import com.fasterxml.jackson.core.type.TypeReference;
import dev.tutti.TuttiException;
import dev.tutti.bench.process.ProcessCommand;
import dev.tutti.comm.network.NetworkCollectives;
import dev.tutti.comm.transport.LinkCosts;
import dev.tutti.comm.transport.SumWay;
import dev.tutti.json.Json;
import dev.tutti.plan.NetworkSpec;
import dev.tutti.testkit.LinkShape;
import dev.tutti.testkit.NetworkHosts;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/** Sums between hosts over links of several kinds, in all ways and by PyTorch's Gloo in turn. */
public final class NetworkStudy {
    private static final Duration LIMIT = Duration.ofMinutes(4);
    private static final int HOSTS = 4;
    private static final int CALL_BYTES = 1024;

    private final boolean quick;
    private final String only;
    private final Path project;
    private final String python;
    private final PrintStream human;
    private final List<NetworkRow> rows = new ArrayList<>();
    private final List<String> failures = new ArrayList<>();

    /**
     * @param only links whose names contain this
     * @param python the interpreter that has PyTorch
     */
    public NetworkStudy(boolean quick, String only, Path project, String python, PrintStream human) {
        this.quick = quick;
        this.only = only;
        this.project = project;
        this.python = python;
        this.human = human;
    }

    /** @throws TuttiException where there cannot be hosts */
    public static void requireHosts() {
        NetworkHosts.unavailable().ifPresent(why -> {
            throw new TuttiException("This benchmark needs hosts of its own, as network namespaces: " + why
                    + ". Run it as root on Linux.");
        });
    }

    private List<NetworkSpec> links() {
        List<String> all = quick
                ? List.of("1Gbit/1ms", "100Mbit/1ms")
                : List.of("1Gbit/0.1ms", "1Gbit/1ms", "1Gbit/20ms", "100Mbit/0.1ms", "100Mbit/1ms", "100Mbit/20ms");
        return all.stream()
                .filter(link -> link.toLowerCase(Locale.ROOT).contains(only.toLowerCase(Locale.ROOT)))
                .map(NetworkSpec::parse)
                .toList();
    }

    private SumOrders orders() {
        return quick
                ? new SumOrders(List.of(16 << 10, 1 << 20, 16 << 20), List.of(15, 7, 2))
                : new SumOrders(List.of(4 << 10, 64 << 10, 1 << 20, 4 << 20, 32 << 20), List.of(25, 25, 11, 5, 3));
    }

    public void run() {
        requireHosts();
        for (NetworkSpec link : links()) {
            measure(link);
        }
    }

    public List<NetworkRow> rows() {
        return rows;
    }

    public List<String> failures() {
        return failures;
    }

    private void measure(NetworkSpec link) {
        human.println("[" + link + "] " + HOSTS + " hosts");
        try (NetworkHosts hosts = NetworkHosts.withDelays(HOSTS)) {
            LinkShape shape =
                    LinkShape.megabits(link.bytesPerSecond() * 8 / 1e6).delay(1000 * link.latencySeconds());
            for (int host = 0; host < HOSTS; host++) {
                hosts.shape(host, shape);
            }
            Map<String, List<Double>> ours = ours(hosts, 1, SumMember.CHOSEN + ",ring,halving,parts");
            List<Double> torch = torch(hosts);
            add(link, 1, ours, torch);
            add(link, 2, ours(hosts, 2, SumMember.CHOSEN), null);
        } catch (TuttiException e) {
            failures.add(link + ": " + e.getMessage());
            human.println("        failed: " + e.getMessage());
        }
    }

    private void add(NetworkSpec link, int membersOfEach, Map<String, List<Double>> ours, List<Double> torch) {
        for (int i = 0; i < orders().bytes().size(); i++) {
            int bytes = orders().bytes().get(i);
            Map<String, Double> seconds = new LinkedHashMap<>();
            int index = i;
            ours.forEach((way, all) -> seconds.put(way, all.get(index)));
            NetworkRow row = new NetworkRow(
                    link.toString(),
                    HOSTS,
                    membersOfEach,
                    bytes,
                    seconds,
                    torch == null ? null : torch.get(i),
                    least(link, bytes));
            rows.add(row);
            human.printf(
                    Locale.ROOT,
                    "        %,d bytes, %d of each host: ours %.2f ms%s, bytes and rounds %.2f ms%n",
                    bytes,
                    membersOfEach,
                    1000 * row.ours(),
                    torch == null ? "" : String.format(Locale.ROOT, ", PyTorch's Gloo %.2f ms", 1000 * torch.get(i)),
                    1000 * row.leastSeconds());
        }
    }

    /** Bytes over bandwidth and rounds times latency of the cheapest way, behind the round in which members say what they call for. */
    private static double least(NetworkSpec link, double bytes) {
        LinkCosts costs = new LinkCosts(link.latencySeconds(), 1 / link.bytesPerSecond());
        double least = Stream.of(SumWay.values())
                .mapToDouble(way -> LinkCosts.rounds(way, HOSTS) * costs.secondsPerRound()
                        + LinkCosts.bytesSent(way, HOSTS, bytes) * costs.secondsPerByte())
                .min()
                .orElseThrow();
        return least + link.latencySeconds() + CALL_BYTES * (HOSTS - 1) * costs.secondsPerByte();
    }

    private Map<String, List<Double>> ours(NetworkHosts hosts, int membersOfEach, String ways) {
        Path folder = temporary();
        try (HostProcesses processes = new HostProcesses(hosts, project)) {
            for (String way : ways.split(",")) {
                Files.createDirectories(folder.resolve(way));
            }
            for (int rank = 0; rank < HOSTS * membersOfEach; rank++) {
                int host = rank / membersOfEach;
                ProcessCommand command = ProcessCommand.java(
                        SumMember.class,
                        String.valueOf(rank),
                        String.valueOf(HOSTS),
                        String.valueOf(membersOfEach),
                        folder.toString(),
                        hosts.address(host),
                        ways,
                        orders().toString());
                processes.start(
                        host,
                        command,
                        Map.of(NetworkCollectives.ADDRESS_VARIABLE, hosts.address(host)),
                        SumMember.RESULT);
            }
            return Json.json().readValue(processes.await(LIMIT), new TypeReference<Map<String, List<Double>>>() {});
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            delete(folder);
        }
    }

    private List<Double> torch(NetworkHosts hosts) {
        try (HostProcesses processes = new HostProcesses(hosts, project)) {
            for (int rank = 0; rank < HOSTS; rank++) {
                ProcessCommand command = new ProcessCommand(
                        List.of(
                                python,
                                "bench/peers/network_torch.py",
                                String.valueOf(rank),
                                String.valueOf(HOSTS),
                                orders().toString()),
                        "python bench/peers/network_torch.py",
                        true);
                Map<String, String> environment =
                        Map.of("MASTER_ADDR", hosts.address(0), "MASTER_PORT", "29500", "GLOO_SOCKET_IFNAME", "eth0");
                processes.start(rank, command, environment, SumMember.RESULT);
            }
            return Json.json().readValue(processes.await(LIMIT), new TypeReference<List<Double>>() {});
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Path temporary() {
        try {
            return Files.createTempDirectory("tutti-network");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void delete(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
