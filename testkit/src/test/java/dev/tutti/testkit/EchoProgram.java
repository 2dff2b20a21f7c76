package dev.tutti.testkit;

import dev.tutti.comm.MessageHandler;
import dev.tutti.comm.MessageRequest;
import dev.tutti.comm.RoleProgram;
import dev.tutti.comm.Team;
import java.util.concurrent.TimeUnit;

/** The smallest server there is: it says what it was told, until the training is over. */
public final class EchoProgram implements RoleProgram {
    static final String ROLE = "echo";

    @Override
    public String role() {
        return ROLE;
    }

    @Override
    public void run(Team team, String settings) {
        team.messages().serve("say", MessageHandler.of(MessageRequest::message));
        while (!team.isOver()) {
            team.check();
            try {
                TimeUnit.MILLISECONDS.sleep(20);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }
}
