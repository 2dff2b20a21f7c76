package dev.tutti.train;

import dev.tutti.Experimental;
import dev.tutti.comm.Team;

/**
 * A place whose members all run elsewhere, such as on the executors of a cluster. The caller is none of them: it runs the callbacks,
 * gets checkpoints and the model where the user said, and computes nothing.
 */
@Experimental
public interface RemoteLauncher extends Launcher {
    /**
     * Trains until the members are done. The caller's model holds the result afterwards.
     *
     * @throws dev.tutti.TuttiException if training fails; it names the member that failed
     */
    History train(RemoteTraining training);

    @Override
    default Team assemble(WorkerTask work) {
        throw new TrainingException(this + " trains without the caller, which cannot become a member of it");
    }
}
