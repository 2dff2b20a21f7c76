package dev.tutti.strategy.closure;

import dev.tutti.comm.MessageHandler;
import dev.tutti.comm.MessageRefusedException;
import dev.tutti.comm.RoleProgram;
import dev.tutti.comm.Team;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** The program of an executor: it runs functions that a scheduler names, until the training is over. */
public final class ExecutorProgram implements RoleProgram {
    /** The role's name. */
    public static final String ROLE = "executor";

    static final String RUN = "closure.run.";
    static final String FAILED = "function-failed";

    @Override
    public String role() {
        return ROLE;
    }

    @Override
    public void run(Team team, String settings) {
        Map<String, RemoteFunction> functions = new TreeMap<>();
        ServiceLoader.load(RemoteFunction.class).forEach(each -> functions.put(each.name(), each));
        functions.forEach((name, function) -> team.messages().serve(RUN + name, handler(team, function)));
        try {
            while (!team.isOver()) {
                team.check();
                TimeUnit.MILLISECONDS.sleep(50);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static MessageHandler handler(Team team, RemoteFunction function) {
        return MessageHandler.of(request -> {
            try {
                return function.call(team, request.message());
            } catch (MessageRefusedException e) {
                throw e;
            } catch (RuntimeException e) {
                throw new MessageRefusedException(FAILED, function.name() + " failed: " + e);
            }
        });
    }
}
