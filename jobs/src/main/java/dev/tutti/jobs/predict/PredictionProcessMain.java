package dev.tutti.jobs.predict;

import dev.tutti.TuttiException;
import dev.tutti.array.NdArray;
import dev.tutti.data.Dataset;
import dev.tutti.io.AtomicFile;
import dev.tutti.nn.Model;
import dev.tutti.train.Predictor;
import dev.tutti.train.checkpoint.SavedModel;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;

/** One process of a prediction: takes parts that are not done, one after the other, until there are none. */
public final class PredictionProcessMain {
    private PredictionProcessMain() {}

    /** @param arguments the folder of the prediction, and the cores to use */
    public static void main(String[] arguments) {
        PredictionFolder folder = new PredictionFolder(Path.of(arguments[0]));
        int code = 0;
        try {
            work(folder, Integer.parseInt(arguments[1]));
        } catch (TuttiException e) {
            folder.write(new PredictionFolder.Failure(e.getMessage()));
            code = 1;
        } catch (IOException e) {
            folder.write(new PredictionFolder.Failure(folder.path() + " cannot be written: " + e.getMessage()));
            code = 1;
        }
        System.exit(code);
    }

    private static void work(PredictionFolder folder, int cores) throws IOException {
        PredictionSpec spec = folder.readSpec().orElseThrow();
        Dataset data = spec.dataset();
        OptionalLong size = data.size();
        if (size.isPresent()) {
            folder.endsBefore((size.getAsLong() + spec.partRows() - 1) / spec.partRows());
        }
        try (SavedModel saved = SavedModel.load(
                        Path.of(spec.model()),
                        Model.Options.DEFAULT.precision(spec.precision()).forInference());
                FileChannel claims = folder.openClaims()) {
            Predictor predictor = saved.predictor().cores(cores);
            PredictionLines lines = new PredictionLines(spec.format(), saved);
            for (long part = 0; part < folder.parts().orElse(Long.MAX_VALUE); part++) {
                if (folder.has(part)) {
                    continue;
                }
                Optional<FileLock> claim = PredictionFolder.claim(claims, part);
                if (claim.isPresent()) {
                    try {
                        if (!folder.has(part)) {
                            compute(folder, spec, data, part, predictor, lines);
                        }
                    } finally {
                        claim.get().release();
                    }
                }
            }
        }
    }

    private static void compute(
            PredictionFolder folder,
            PredictionSpec spec,
            Dataset data,
            long part,
            Predictor predictor,
            PredictionLines lines) {
        long first = part * spec.partRows();
        StringBuilder text = new StringBuilder();
        AtomicLong next = new AtomicLong(first);
        predictor.predict(data.skip(first).take(spec.partRows()), (NdArray outputs) -> {
            if (next.get() == 0) {
                text.append(lines.header(
                        outputs.size() / Math.toIntExact(outputs.shape().dim(0))));
            }
            lines.append(text, outputs, next.get());
            next.addAndGet(outputs.shape().dim(0));
        });
        long rows = next.get() - first;
        if (rows < spec.partRows()) {
            folder.endsBefore(rows == 0 ? part : part + 1);
        }
        if (rows > 0) {
            AtomicFile.write(folder.part(part), out -> out.write(text.toString().getBytes(StandardCharsets.UTF_8)));
        }
    }
}
