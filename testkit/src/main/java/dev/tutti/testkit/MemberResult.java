package dev.tutti.testkit;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.tutti.array.NdArray;
import dev.tutti.comm.MemberLostException;
import dev.tutti.nn.Model;
import dev.tutti.train.EpochResult;
import dev.tutti.train.History;
import dev.tutti.train.profile.MemberTime;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * What a member has to show at the end: results and parameters, or what it failed with.
 *
 * @param epochs what came of each epoch; null when it failed
 * @param parameters all of them as float32, in base64; null when it failed
 * @param failure the kind and message of what it failed with, or null
 * @param missing whom the failure names
 * @param times where the time of each member of the end went; null when it failed
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record MemberResult(
        List<EpochResult> epochs, String parameters, String failure, List<String> missing, List<MemberTime> times) {
    /** Samples that may be taken for another class because floats were added in another order. */
    private static final double ON_THE_BORDER = 0.002;

    static MemberResult of(History history, Model model) {
        return new MemberResult(
                history.epochs(),
                packed(model.arrays()),
                null,
                List.of(),
                history.times().members());
    }

    static MemberResult of(Throwable failure) {
        return new MemberResult(
                null,
                null,
                failure.getClass().getSimpleName() + ": " + failure.getMessage(),
                failure instanceof MemberLostException lost ? lost.members() : List.of(),
                null);
    }

    private static String packed(Map<String, NdArray> arrays) {
        Map<String, NdArray> sorted = new TreeMap<>(arrays);
        ByteBuffer bytes = ByteBuffer.allocate(
                4 * sorted.values().stream().mapToInt(NdArray::size).sum());
        sorted.values().forEach(array -> {
            for (int i = 0; i < array.size(); i++) {
                bytes.putFloat((float) array.at(i));
            }
        });
        return Base64.getEncoder().encodeToString(bytes.array());
    }

    public boolean failed() {
        return failure != null;
    }

    /** Whether it came when the training was over, and was told so. */
    public boolean cameTooLate() {
        return failed() && failure.contains("the training is over");
    }

    /** The largest difference between the parameters of two results. */
    public double distance(MemberResult other) {
        ByteBuffer mine = ByteBuffer.wrap(Base64.getDecoder().decode(parameters));
        ByteBuffer theirs = ByteBuffer.wrap(Base64.getDecoder().decode(other.parameters));
        double most = mine.remaining() == theirs.remaining() ? 0 : Double.POSITIVE_INFINITY;
        while (mine.hasRemaining() && theirs.hasRemaining()) {
            most = Math.max(most, Math.abs((double) mine.getFloat() - theirs.getFloat()));
        }
        return most;
    }

    /**
     * What speaks against this result's being that of a run in which every sample counted once in every epoch; nothing if all is
     * well.
     *
     * @param expected the result of the undisturbed run
     * @param tolerance how much parameters may differ for the order in which floats were added
     */
    public List<String> complaints(TrainingScenario scenario, MemberResult expected, double tolerance) {
        List<String> complaints = new ArrayList<>();
        if (failed()) {
            complaints.add("it failed: " + failure);
            return complaints;
        }
        if (epochs.size() != scenario.epochs()) {
            complaints.add("expected " + scenario.epochs() + " epochs, received " + epochs.size());
        }
        for (EpochResult epoch : epochs) {
            if (epoch.training().samples() != scenario.rows()) {
                complaints.add("epoch " + epoch.epoch() + ": expected " + scenario.rows() + " samples, received "
                        + epoch.training().samples());
            }
            if (epoch.steps() != (long) epoch.epoch() * scenario.stepsPerEpoch()) {
                complaints.add("epoch " + epoch.epoch() + ": expected " + scenario.stepsPerEpoch()
                        + " steps in each, received " + epoch.steps() + " in all");
            }
            if (scenario.validation() > 0 && epoch.measured().samples() != scenario.validation()) {
                complaints.add("epoch " + epoch.epoch() + ": expected " + scenario.validation()
                        + " validation samples, received " + epoch.measured().samples());
            }
        }
        for (int i = 0; i < Math.min(epochs.size(), expected.epochs.size()); i++) {
            double hits = hits(epochs.get(i));
            double expectedHits = hits(expected.epochs.get(i));
            if (Math.abs(hits - expectedHits) > ON_THE_BORDER * scenario.rows()) {
                complaints.add(String.format(
                        Locale.ROOT,
                        "epoch %d: expected %.1f hits in training, received %.1f",
                        i + 1,
                        expectedHits,
                        hits));
            }
        }
        double distance = distance(expected);
        if (!(distance <= tolerance)) {
            complaints.add(String.format(
                    Locale.ROOT, "parameters differ by %.2g from those of the undisturbed run", distance));
        }
        return complaints;
    }

    private static double hits(EpochResult epoch) {
        return epoch.training().metrics().get("accuracy") * epoch.training().samples();
    }

    /** Accuracy on the validation data at the end. */
    public double accuracy() {
        return epochs.get(epochs.size() - 1).monitored("accuracy");
    }
}
