package dev.tutti.train.job;

import dev.tutti.DidYouMean;
import dev.tutti.TuttiException;
import dev.tutti.data.Dataset;
import dev.tutti.data.transform.FittedTransform;
import dev.tutti.data.transform.Transform;
import dev.tutti.json.ConfigException;
import dev.tutti.metric.Metric;
import dev.tutti.metric.MetricException;
import dev.tutti.nn.Layer;
import dev.tutti.nn.Model;
import dev.tutti.nn.ShapeException;
import dev.tutti.tensor.Device;
import dev.tutti.tensor.Engine;
import dev.tutti.tensor.TensorException;
import dev.tutti.train.Trainer;
import dev.tutti.train.checkpoint.SavedModel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** Finds what is wrong with a job before it starts, from the cheap to the dear: settings, folders, data, the model on a batch. */
final class JobCheck {
    private static final int LONGEST_NAME = 100;

    private final JobFile file;
    private final Job job;
    private final JobTransfer transfer;
    private SavedModel saved; // null: the model is a new one
    private List<Transform> preprocessing = List.of();

    JobCheck(JobFile file) {
        this.file = file;
        this.job = file.job();
        this.transfer = new JobTransfer(job);
    }

    ReadyJob check() {
        settings();
        name();
        insidePaths();
        callbacks();
        output();
        Dataset train = job.data().train();
        train = job.shuffle() ? train.shuffle(job.seed()) : train;
        train = job.batch().isPresent() ? train.batch(job.batch().getAsInt()) : train;
        Optional<Dataset> validation = job.data().validation();
        Trainer trainer = trainer();
        ReadyJob ready =
                new ReadyJob(job, trainer, train, validation, Optional.ofNullable(saved), preprocessing, transfer);
        try {
            build(trainer, prepared(train));
            explained("/model", () -> {
                transfer.apply(trainer.model());
                return job;
            });
            trial(trainer, "/data/train", job.data().train());
            if (validation.isPresent()) {
                trial(trainer, "/data/validation", validation.get());
            }
            return ready;
        } catch (RuntimeException e) {
            ready.close();
            throw e;
        }
    }

    private void settings() {
        require(
                job.data() != null && job.data().hasTrain(),
                "/data",
                "the job needs 'data' with 'train' in it, such as data: mnist");
        require(job.model() != null, "/model", "the job needs a 'model': layers, a file with layers, or a saved model");
        require(job.loss() != null, "/loss", "the job needs a 'loss', such as softmaxCrossEntropy");
        require(job.optimizer() != null, "/optimizer", "the job needs an 'optimizer', such as adam");
        explained("/optimizer", () -> {
            job.optimizer().validate();
            return job;
        });
        explained("/loss", () -> {
            job.loss().validate();
            return job;
        });
        job.distill()
                .ifPresent(distill -> explained("/distill", () -> {
                    require(
                            !job.cacheTrunk(),
                            "/distill",
                            "distill and cacheTrunk do not go together: expected one of them");
                    distill.loss(job.loss());
                    return SavedModel.features(distill.teacher());
                }));
        atLeastOne("/epochs", job.epochs());
        atLeastOne("/batch", job.batch().orElse(1));
        atLeastOne("/accumulate", job.accumulate());
        atLeastOne("/cores", job.cores().orElse(1));
        explained("/cores", () -> {
            Engine.requireThreads(job.cores().orElse(1));
            return job;
        });
        atLeastOne("/checkpoints/keep", job.checkpoints().keep());
        atLeastOne("/checkpoints/everySteps", job.checkpoints().everySteps().orElse(1));
        require(
                job.checkpoints().everyMinutes() > 0,
                "/checkpoints/everyMinutes",
                "everyMinutes: expected more than 0, received "
                        + job.checkpoints().everyMinutes());
        require(
                job.movingAverage() >= 0 && job.movingAverage() < 1,
                "/movingAverage",
                "movingAverage: expected 0 or more and less than 1, received " + job.movingAverage());
        explained("/cluster", () -> {
            job.cluster().validate();
            return job;
        });
        explained("/strategy", () -> {
            job.strategy().validate();
            job.cluster().workers().ifPresent(job.strategy()::validateFor);
            return job;
        });
        require(
                !job.strategy().buildsParts()
                        || job.adopt().isEmpty()
                                && job.lora().isEmpty()
                                && job.model().baseFolder().isEmpty(),
                "/strategy",
                "the strategy " + job.strategy() + " lets every member build its part of the model anew, and 'adopt',"
                        + " 'lora' and 'base' give the model values before: expected one of the two");
    }

    private void atLeastOne(String pointer, long value) {
        String key = pointer.substring(pointer.lastIndexOf('/') + 1);
        require(value >= 1, pointer, key + ": expected 1 or more, received " + value);
    }

    private void require(boolean holds, String pointer, String message) {
        if (!holds) {
            throw file.problem(pointer, message);
        }
    }

    private void callbacks() {
        List<String> known =
                new ArrayList<>(job.metrics().stream().map(Metric::name).toList());
        known.add("loss");
        for (int i = 0; i < job.callbacks().size(); i++) {
            String pointer = "/callbacks/" + i;
            JobCallback callback = job.callbacks().get(i);
            callback.follows().filter(metric -> !known.contains(metric)).ifPresent(metric -> {
                throw file.problem(
                        pointer + "/metric",
                        "there is no metric '" + metric + "' to follow" + DidYouMean.hint(metric, known));
            });
            explained(pointer, () -> callback.make(job.output()));
        }
    }

    /** The name becomes that of a folder, so it must not lead out of the one it lies in. */
    private void name() {
        String name = job.name();
        require(
                !name.isBlank()
                        && name.length() <= LONGEST_NAME
                        && name.matches("[^/\\\\\\p{Cntrl}]+")
                        && !name.matches("\\.+"),
                "/name",
                "name: expected a name for people and for a folder, without slashes, received '" + name + "'");
    }

    /** A job file may come from anywhere; only the user on the command line may lead its results out of the folder. */
    private void insidePaths() {
        List<String> pointers = new ArrayList<>(List.of("/output", "/checkpoints/folder"));
        for (int i = 0; i < job.callbacks().size(); i++) {
            pointers.add("/callbacks/" + i + "/folder");
            pointers.add("/callbacks/" + i + "/file");
        }
        for (String pointer : pointers) {
            String path = file.isSet(pointer) ? "" : file.textAt(pointer).orElse("");
            boolean leaves = Arrays.asList(path.split("[/\\\\]")).contains("..");
            require(
                    !leaves,
                    pointer,
                    pointer.substring(pointer.lastIndexOf('/') + 1) + ": expected a path without '..', received '"
                            + path
                            + "': a job file does not write outside its folder; say --output on the command line"
                            + " instead");
        }
    }

    private void output() {
        for (Path at = job.output().path().toAbsolutePath(); at != null; at = at.getParent()) {
            if (Files.exists(at)) {
                require(Files.isDirectory(at), "/output", "output: expected a folder, but " + at + " is a file");
                require(
                        Files.isWritable(at),
                        "/output",
                        "output: nothing can be written in " + at + ": permission denied");
                break;
            }
        }
    }

    /** What is done to raw features, with what the training part has shown. */
    private List<Transform> fitted(List<Transform> transforms) {
        Dataset training = job.data().train();
        List<Transform> ready = new ArrayList<>();
        for (Transform transform : transforms) {
            Transform fitted = transform instanceof FittedTransform learner && !learner.isFitted()
                    ? learner.fit(training)
                    : transform;
            training = training.map(fitted);
            ready.add(fitted);
        }
        return ready;
    }

    private Dataset prepared(Dataset data) {
        Dataset ready = data;
        for (Transform transform : preprocessing) {
            ready = ready.map(transform);
        }
        return ready;
    }

    private List<String> classes(List<Transform> transforms, List<String> otherwise) {
        if (!job.classes().isEmpty()) {
            return job.classes();
        }
        return transforms.stream()
                .filter(FittedTransform.class::isInstance)
                .map(transform -> ((FittedTransform) transform).classes())
                .filter(names -> !names.isEmpty())
                .findFirst()
                .orElse(otherwise);
    }

    private Trainer trainer() {
        Device device = explained("/device", () -> Device.named(job.device()));
        preprocessing = fitted(job.preprocessing());
        JobModel model = job.model();
        Trainer trainer;
        if (model.saved().isPresent() && job.lora().isEmpty()) {
            Model.Options options = Model.Options.DEFAULT.device(device).precision(job.precision());
            saved = explained("/model", () -> SavedModel.load(model.saved().get(), options));
            SavedModel.Features kept = saved.features();
            preprocessing = preprocessing.isEmpty() ? kept.transforms() : preprocessing;
            trainer = Trainer.of(saved.model(), job.config())
                    .preprocessing(preprocessing.toArray(Transform[]::new))
                    .classes(classes(preprocessing, kept.classes()));
        } else {
            Optional<Path> from = model.saved().or(model::baseFolder);
            List<Transform> own = preprocessing;
            preprocessing = explained(
                    "/model",
                    () -> own.isEmpty() && from.isPresent()
                            ? SavedModel.features(from.get()).transforms()
                            : own);
            Layer definition = explained(
                    "/model",
                    () -> transfer.adapted(model.definition()
                            .orElseGet(() -> SavedModel.definition(model.saved().get()))));
            trainer = Trainer.of(definition, job.config())
                    .device(device)
                    .preprocessing(preprocessing.toArray(Transform[]::new))
                    .classes(classes(preprocessing, List.of()));
        }
        return trainer.cores(job.cores().orElse(Engine.cores()));
    }

    private void build(Trainer trainer, Dataset train) {
        try {
            trainer.build(train);
        } catch (ShapeException | TensorException e) {
            throw file.problem("/model", e.getMessage(), e);
        }
    }

    /** Runs one batch through everything but the update: parts that do not fit together fail here. */
    private void trial(Trainer trainer, String pointer, Dataset data) {
        try {
            trainer.evaluate(data.take(data.batchSize().orElse(1)));
        } catch (ShapeException e) {
            throw file.problem(pointer, e.getMessage(), e);
        } catch (MetricException e) {
            throw file.problem("/metrics", e.getMessage(), e);
        }
    }

    private interface Attempt<T> {
        T make();
    }

    /** What goes wrong here is the job's fault, so it is said with the place in the job. */
    private <T> T explained(String pointer, Attempt<T> attempt) {
        try {
            return attempt.make();
        } catch (ConfigException e) {
            throw e;
        } catch (TuttiException e) {
            throw file.problem(pointer, e.getMessage(), e);
        }
    }
}
