package dev.tutti.federated;

import dev.tutti.TuttiException;
import dev.tutti.array.NdArray;
import dev.tutti.data.Batch;
import dev.tutti.data.BatchReader;
import dev.tutti.data.Dataset;
import dev.tutti.nn.Model;
import dev.tutti.nn.RecordedPass;
import dev.tutti.optim.Clipping;
import dev.tutti.optim.Update;
import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import dev.tutti.train.Evaluator;
import dev.tutti.train.Totals;
import dev.tutti.train.TrainingConfig;
import dev.tutti.train.replica.LocalReplica;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Trains at a client: from the model of a round to an update. One built model and one optimizer serve any number of clients, one after
 * the other, so that a simulation builds nothing per client.
 *
 * <p>Steps are those of {@link dev.tutti.train.Trainer#fit} on one worker, bit for bit, and each call begins with a fresh optimizer. The
 * trainer belongs to one thread at a time.
 */
public final class LocalTrainer implements AutoCloseable {
    private final Model model;
    private final TrainingConfig config;
    private final SharedParameters shared;
    private final SharedParameters personal;
    private final Update update;
    private final Map<String, Tensor> fresh = new LinkedHashMap<>();
    private final float[] firstPersonal;

    /** @param model stays the caller's, who leaves it alone while this is in use */
    public LocalTrainer(Model model, TrainingConfig config, List<String> personal) {
        this.model = model;
        this.config = config;
        this.shared = SharedParameters.of(model, personal);
        this.personal = SharedParameters.personal(model, personal);
        this.update = config.optimizer().bind(LocalReplica.target(model));
        this.firstPersonal = this.personal.read(model);
        try (Scope scope = Scope.open()) {
            update.state()
                    .forEach((name, tensor) -> fresh.put(name, tensor.copy().retain()));
        }
    }

    /** The vector that travels. */
    public SharedParameters shared() {
        return shared;
    }

    /**
     * Trains from a model on a client's rows.
     *
     * @param global the shared parameters of the round
     * @param control the server's control variate, where the rules ask for one
     * @param state what the client remembers; changed by this
     * @throws TuttiException if the client has no rows
     */
    public ClientUpdate train(
            String client,
            int round,
            float[] global,
            Optional<float[]> control,
            Dataset data,
            LocalSettings settings,
            ClientState state) {
        begin(global, state);
        double before = settings.rules().lossBefore()
                ? Evaluator.evaluate(model, config.loss(), List.of(), data)
                        .value()
                        .loss()
                : Double.NaN;
        double rate = config.optimizer().learningRate() * settings.rateFactor();
        try (GradientCorrection correction = correction(global, control, state, settings.rules())) {
            Count count = new Count();
            Dataset batched = batched(data, settings);
            for (int epoch = 0; epoch < settings.epochs(); epoch++) {
                count.beginEpoch();
                try (BatchReader reader = batched.open(epoch)) {
                    for (Optional<Batch> batch = reader.next(); batch.isPresent(); batch = reader.next()) {
                        step(batch.get(), settings.seed(), rate, correction, count);
                    }
                }
            }
            if (count.samples == 0) {
                throw new TuttiException("client " + client + " has no rows to learn from in " + data);
            }
            if (personal.size() > 0) {
                state.put(ClientState.PERSONAL, personal.read(model));
            }
            float[] delta = difference(shared.read(model), global);
            Optional<float[]> change = control.filter(c -> settings.rules().control())
                    .map(c -> changeControl(delta, c, state, count.steps * rate));
            return new ClientUpdate(
                    client, round, count.samples, delta, change, count.steps, count.loss / count.samples, before);
        }
    }

    /** Loss and metrics of a model on a client's rows, with the client's personal parameters, as sums that merge exactly. */
    public Totals evaluate(float[] global, Dataset data, ClientState state) {
        begin(global, state);
        return Evaluator.evaluate(model, config.loss(), config.metrics(), data);
    }

    private void begin(float[] global, ClientState state) {
        shared.write(global, model);
        if (personal.size() > 0) {
            personal.write(state.get(ClientState.PERSONAL).orElse(firstPersonal), model);
        }
        if (!fresh.isEmpty()) {
            try (NoGradients off = NoGradients.begin()) {
                update.state().forEach((name, tensor) -> tensor.copy_(fresh.get(name)));
            }
        }
    }

    private static Dataset batched(Dataset data, LocalSettings settings) {
        int rows = settings.batch() > 0
                ? settings.batch()
                : Math.toIntExact(data.size()
                        .orElseThrow(() -> new TuttiException(
                                "batch: 0, all rows in one batch, needs data of a known number of rows")));
        return data.shuffle(settings.seed()).batch(rows);
    }

    private static final class Count {
        private long steps;
        private long samples; // this and the next are of the last epoch
        private double loss;

        void beginEpoch() {
            samples = 0;
            loss = 0;
        }
    }

    private void step(Batch batch, long seed, double rate, GradientCorrection correction, Count count) {
        config.loss().check(batch.labels(), model.outputs());
        model.training(true);
        model.restartRandomness(seed, count.steps, 0, 0);
        try (Scope scope = Scope.open();
                RecordedPass pass = model.record(tensors(batch.features()))) {
            Tensor loss = config.loss().compute(pass.outputs(), tensors(batch.labels()));
            count.loss += loss.item() * batch.size();
            pass.backward(loss, false);
        }
        correction.apply();
        Clipping clipping = config.optimizer().clipping();
        if (clipping.isOn()) {
            clipping.apply(model.vector().gradients());
        }
        update.apply(rate);
        count.steps++;
        count.samples += batch.size();
    }

    private List<Tensor> tensors(List<NdArray> arrays) {
        return arrays.stream()
                .map(array -> Tensor.of(array, model.options().device()))
                .toList();
    }

    private GradientCorrection correction(
            float[] global, Optional<float[]> control, ClientState state, LocalRules rules) {
        Optional<float[]> towards = Optional.empty();
        if (rules.control()) {
            float[] server = control.orElseThrow(
                    () -> new TuttiException("the round is one of SCAFFOLD, but came without a control variate"));
            float[] own = state.get(ClientState.CONTROL).orElseGet(() -> new float[shared.size()]);
            towards = Optional.of(difference(server, own));
        }
        return new GradientCorrection(model, shared, rules.proximal(), global, towards);
    }

    /** The second option of the paper: the mean gradient along the way, which is the way divided by steps and rate. */
    private float[] changeControl(float[] delta, float[] server, ClientState state, double way) {
        float[] own = state.get(ClientState.CONTROL).orElseGet(() -> new float[shared.size()]);
        float[] change = new float[delta.length];
        float[] next = new float[delta.length];
        for (SharedParameters.Entry entry : shared.entries()) {
            for (int i = entry.from(); entry.learned() && i < entry.from() + entry.length(); i++) {
                change[i] = (float) (-server[i] - delta[i] / way);
                next[i] = own[i] + change[i];
            }
        }
        state.put(ClientState.CONTROL, next);
        return change;
    }

    private static float[] difference(float[] a, float[] b) {
        float[] out = new float[a.length];
        for (int i = 0; i < a.length; i++) {
            out[i] = a[i] - b[i];
        }
        return out;
    }

    /** Frees the optimizer's state; the model stays open. */
    @Override
    public void close() {
        update.close();
        fresh.values().forEach(Tensor::close);
    }
}
