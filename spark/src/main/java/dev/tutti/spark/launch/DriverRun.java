package dev.tutti.spark.launch;

import dev.tutti.nn.Model;
import dev.tutti.train.EpochResult;
import dev.tutti.train.Evaluation;
import dev.tutti.train.RemoteTraining;
import dev.tutti.train.RuntimeSettings;
import dev.tutti.train.TrainingConfig;
import dev.tutti.train.callback.Run;
import dev.tutti.train.checkpoint.CheckpointFolder;
import dev.tutti.train.checkpoint.SavedModel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/** A run on executors as callbacks of the driver see it. What they need of the members' state is fetched when they ask for it. */
final class DriverRun implements Run {
    private final RemoteTraining training;
    private final Path inbox;
    private final RunConversation conversation;
    private final List<DriverReply.Setting> settings = new ArrayList<>();
    private RunReport last;
    private String stopReason;

    DriverRun(RemoteTraining training, Path inbox, RunConversation conversation) {
        this.training = training;
        this.inbox = inbox;
        this.conversation = conversation;
    }

    void at(RunReport report) {
        last = report;
    }

    boolean hasBegun() {
        return last != null;
    }

    String stopReason() {
        return stopReason;
    }

    /** What callbacks have set since the last call. */
    List<DriverReply.Setting> takeSettings() {
        List<DriverReply.Setting> taken = List.copyOf(settings);
        settings.clear();
        return taken;
    }

    @Override
    public Model model() {
        conversation.demand(DriverReply.Demand.WEIGHTS);
        return received();
    }

    private Model received() {
        SavedModel.readWeights(training.model(), inbox.resolve("weights.safetensors"));
        return training.model();
    }

    @Override
    public void saveModel(Path folder) {
        conversation.demand(DriverReply.Demand.MODEL);
        received();
        List<EpochResult> finished = last.finished();
        training.saver()
                .accept(
                        folder,
                        finished.isEmpty()
                                ? null
                                : finished.get(finished.size() - 1).measured());
    }

    @Override
    public Path saveCheckpoint(Path folder, int keep) {
        try (ScratchFolder arrived = conversation.files(DriverReply.Demand.CHECKPOINT)) {
            return new CheckpointFolder(arrived.path()).copyNewest(folder, keep).orElseThrow();
        }
    }

    @Override
    public TrainingConfig recipe() {
        return training.work().config();
    }

    @Override
    public int epoch() {
        return last.epoch();
    }

    @Override
    public int epochs() {
        return last.epochs();
    }

    @Override
    public long step() {
        return last.step();
    }

    @Override
    public long stepOfEpoch() {
        return last.stepOfEpoch();
    }

    @Override
    public OptionalLong stepsPerEpoch() {
        return last.stepsPerEpoch() < 0 ? OptionalLong.empty() : OptionalLong.of(last.stepsPerEpoch());
    }

    @Override
    public long samplesSeen() {
        return last.samplesSeen();
    }

    @Override
    public double learningRate() {
        return last.learningRate();
    }

    @Override
    public Map<String, String> settings() {
        return last.settings();
    }

    @Override
    public void configure(String key, String value) {
        RuntimeSettings.check(key, value);
        settings.add(new DriverReply.Setting(key, value));
    }

    @Override
    public double lastLoss() {
        return last.lastLoss();
    }

    @Override
    public Evaluation soFar() {
        return last.soFar();
    }

    @Override
    public boolean isChief() {
        return true;
    }

    @Override
    public List<EpochResult> finished() {
        return last.finished();
    }

    @Override
    public void stop(String reason) {
        stopReason = reason;
    }

    @Override
    public boolean stopping() {
        return stopReason != null || last.stopping();
    }
}
