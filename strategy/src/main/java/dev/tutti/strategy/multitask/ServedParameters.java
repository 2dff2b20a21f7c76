package dev.tutti.strategy.multitask;

import dev.tutti.array.DType;
import dev.tutti.array.NamedRange;
import dev.tutti.array.Range;
import dev.tutti.array.Shape;
import dev.tutti.comm.Team;
import dev.tutti.nn.Model;
import dev.tutti.nn.Parameter;
import dev.tutti.optim.Optimizer;
import dev.tutti.strategy.ps.ParameterClient;
import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import dev.tutti.tensor.vector.FusedUpdate;
import dev.tutti.tensor.vector.PackedRanges;
import dev.tutti.train.replica.Agreement;
import dev.tutti.train.worker.LocalWorkers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Parameters that several members work on, which parameter servers hold and move: one vector of them alone, so that nothing else travels.
 *
 * <p>Order of calls: {@link #prepare} by all members together, when other parameters are shared than before or the members have met;
 * {@link #push} and {@link #pull} by each member on its own, any number of times; {@link #collect} by all when none pushes any more. After
 * {@link #forget} the next call is {@link #prepare}.
 */
final class ServedParameters {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final PlacedTasks settings;
    private final LocalWorkers workers;
    private final Optimizer optimizer;
    private final Team team;
    private final Agreement agreement;
    private List<String> names = List.of();
    private List<Range> ranges = List.of(); // in the model's vector
    private List<NamedRange> packed = List.of(); // in that of the servers
    private ParameterClient client; // null: there is nothing to serve, or it has not been prepared
    private boolean prepared;
    private boolean known; // servers have been there
    private Long serversBy; // until when they are waited for; null: they are not
    private long pushes;

    ServedParameters(PlacedTasks settings, LocalWorkers workers, Optimizer optimizer, Team team, Agreement agreement) {
        this.settings = settings;
        this.workers = workers;
        this.optimizer = optimizer;
        this.team = team;
        this.agreement = agreement;
    }

    /** What the servers have counts no more: the next round begins with the values of the members. */
    void forget() {
        prepared = false;
        client = null;
        names = List.of();
        ranges = List.of();
        packed = List.of();
    }

    /**
     * Gives the servers the values and the optimizer's state of these parameters, as the first member has them, unless they have them.
     * All members call it with the same parameters and have the same values of them.
     */
    void prepare(List<Parameter> shared) {
        List<String> next = shared.stream().map(Parameter::name).toList();
        if (prepared && next.equals(names)) {
            return;
        }
        names = next;
        ranges = shared.stream().map(Parameter::range).toList();
        packed = packed(shared);
        client = null;
        if (!shared.isEmpty()) {
            client = client();
            agreement.text("shared part on servers", this::setUp, 0);
            known = true;
        }
        prepared = true;
    }

    private long length() {
        return ranges.stream().mapToLong(Range::length).sum();
    }

    private ParameterClient client() {
        int shards = (int) Math.max(1, Math.min(settings.servers(), length() / FusedUpdate.BLOCK));
        String name = team.messages().self().id();
        return new ParameterClient(team, name, length(), shards, List.of(), PATIENCE);
    }

    /** Where each lies behind the one before it. */
    private static List<NamedRange> packed(List<Parameter> shared) {
        List<NamedRange> packed = new ArrayList<>();
        long at = 0;
        for (Parameter parameter : shared) {
            packed.add(new NamedRange(
                    parameter.name(), new Range(at, parameter.range().length())));
            at += parameter.range().length();
        }
        return packed;
    }

    private String setUp() {
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            Map<String, Tensor> states = new LinkedHashMap<>();
            workers.state().forEach((name, tensor) -> states.put(name, tensor.rank() == 0 ? tensor : packed(tensor)));
            // The time to wait goes on when the members meet again meanwhile: those that wait for this one do not wait
            // for as long.
            serversBy = serversBy == null ? System.nanoTime() + PATIENCE.toNanos() : serversBy;
            client.setUp(
                    packed(model().vector().values()),
                    packed,
                    states,
                    optimizer,
                    settings.backups(),
                    known ? 1 : settings.servers(),
                    serversBy);
            serversBy = null;
        }
        return "";
    }

    private Model model() {
        return workers.model();
    }

    private Tensor packed(Tensor vector) {
        return Tensor.concat(
                ranges.stream()
                        .map(range -> vector.narrow(0, range.from(), range.length()))
                        .toList(),
                0);
    }

    /** Whether servers hold parameters now. */
    boolean isOn() {
        return client != null;
    }

    boolean contains(Parameter parameter) {
        return isOn() && names.contains(parameter.name());
    }

    /**
     * Lets the servers move their parameters by this member's gradients of a step.
     *
     * @param learned the names of parameters that have gradients; the others stay
     */
    void push(double rate, List<String> learned) {
        if (isOn()) {
            List<Range> learning = packed.stream()
                    .filter(each -> learned.contains(each.name()))
                    .map(NamedRange::range)
                    .toList();
            try (Scope scope = Scope.open();
                    NoGradients off = NoGradients.begin()) {
                client.push(packed(workers.gradients()), rate, learning);
            }
            pushes++;
        }
    }

    /** Writes the newest values of the servers into the model. */
    void pull() {
        if (isOn()) {
            try (NoGradients off = NoGradients.begin()) {
                PackedRanges.change(model().vector().values(), ranges, client::pull);
            }
        }
    }

    /** Reads values and optimizer state: the same bits on all members, as none goes on before all have read them. */
    void collect() {
        if (!isOn()) {
            return;
        }
        pull();
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            Map<String, Tensor> states = new LinkedHashMap<>();
            workers.state().forEach((name, tensor) -> {
                if (tensor.rank() > 0) {
                    states.put(name, Tensor.zeros(Shape.of(length()), DType.FLOAT32));
                }
            });
            client.readStates(states);
            states.forEach((name, from) ->
                    PackedRanges.change(workers.state().get(name), ranges, packed -> packed.copy_(from)));
        }
        agreement.barrier("shared part is read");
    }

    /** Pushes of this member in all. */
    long pushes() {
        return pushes;
    }
}
