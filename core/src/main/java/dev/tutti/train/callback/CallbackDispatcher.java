package dev.tutti.train.callback;

import dev.tutti.comm.Team;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** The callbacks of a run. They are the chief's: other members have none to tell, or leave it to the chief's. */
public final class CallbackDispatcher {
    private final List<Callback> callbacks;
    private final Team team;
    private final Run run;
    private boolean begun;

    public CallbackDispatcher(List<Callback> callbacks, Team team, Run run) {
        this.callbacks = callbacks;
        this.team = team;
        this.run = run;
    }

    /** The first one to be chief begins; so does one who becomes it later. */
    public void begin() {
        if (!begun && team.group().isChief()) {
            inherit();
        }
    }

    /** The chief is lost, and all of it is at an end: what has to be done then is this member's. */
    public void inherit() {
        if (!begun) {
            begun = true;
            callbacks.forEach(callback -> callback.begin(run));
        }
    }

    public void tell(Consumer<Callback> event) {
        if (team.group().isChief()) {
            begin();
            callbacks.forEach(event);
        }
    }

    /** Whether one of them needs all of the state after the next step. Asks all, since each may prepare for it. */
    public boolean needsState() {
        boolean needed = false;
        if (team.group().isChief()) {
            for (Callback callback : callbacks) {
                needed |= callback.needsState(run);
            }
        }
        return needed;
    }

    /** Every callback hears of the end, also when another one fails at it. */
    public void end(Throwable failure) {
        if (!begun) {
            return;
        }
        RuntimeException later = null;
        for (Callback callback : callbacks) {
            try {
                callback.end(run, Optional.ofNullable(failure));
            } catch (RuntimeException e) {
                if (failure != null) {
                    failure.addSuppressed(e);
                } else if (later == null) {
                    later = e;
                } else {
                    later.addSuppressed(e);
                }
            }
        }
        if (later != null) {
            throw later;
        }
    }
}
