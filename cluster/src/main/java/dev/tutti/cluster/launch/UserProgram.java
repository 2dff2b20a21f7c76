package dev.tutti.cluster.launch;

import dev.tutti.cluster.ClusterSpec;
import dev.tutti.cluster.HostedCoordinator;
import dev.tutti.cluster.coordinator.MembershipRules;
import dev.tutti.cluster.rpc.CoordinatorAddress;
import dev.tutti.cluster.rpc.ServerSettings;
import dev.tutti.json.Json;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * A program of the user's that is run several times side by side: {@link dev.tutti.cluster.Tutti#init} in it finds the others.
 *
 * @param mainClass the class with the main method
 * @param arguments what it is given
 * @param classPath where its classes are, beside those of this JVM
 * @param rules how often it is run, and what is asked of the processes
 * @param restarts how many lost ones are replaced in all
 * @param folder where people can find the coordinator while it runs, or null
 */
public record UserProgram(
        String mainClass,
        List<String> arguments,
        List<Path> classPath,
        MembershipRules rules,
        int restarts,
        Path folder) {
    /** After one has failed the others get so long to notice it and to end by themselves, with a message of their own. */
    private static final Duration GRACE = Duration.ofSeconds(15);

    public UserProgram {
        arguments = List.copyOf(arguments);
        classPath = List.copyOf(classPath);
    }

    /**
     * Runs it to the end.
     *
     * @param output takes what the processes write, line by line, prefixed with their names
     * @return how they ended
     */
    public ProgramOutcome run(Consumer<String> output) {
        requireMain();
        try (HostedCoordinator coordinator = HostedCoordinator.start(ServerSettings.of(rules), folder);
                ChildProcesses children = new ChildProcesses(coordinator.server(), output, restarts)) {
            Plan plan = new Plan(coordinator.server().address());
            for (int i = 0; i < rules.expected(); i++) {
                children.start(ClusterSpec.WORKER + "-" + i, plan);
            }
            int code = children.await(rules.expected() - rules.min(), GRACE);
            return new ProgramOutcome(code, children.firstToFail());
        }
    }

    /** Before anything is started: a name that is wrong would fail in every process. */
    private void requireMain() {
        URL[] urls = classPath.stream().map(UserProgram::url).toArray(URL[]::new);
        try (URLClassLoader loader = new URLClassLoader(urls, UserProgram.class.getClassLoader())) {
            Class.forName(mainClass, false, loader).getMethod("main", String[].class);
        } catch (ClassNotFoundException e) {
            throw new LaunchException(
                    "there is no class " + mainClass + ": expected the full name of a class with a main method, in "
                            + (classPath.isEmpty() ? "Tutti itself; say where yours is with -cp" : classPath),
                    e);
        } catch (NoSuchMethodException e) {
            throw new LaunchException(mainClass + " has no method public static void main(String[])", e);
        } catch (IOException e) {
            throw new LaunchException(classPath + " cannot be read: " + e.getMessage(), e);
        }
    }

    private static URL url(Path path) {
        try {
            return path.toUri().toURL();
        } catch (IOException e) {
            throw new LaunchException(path + " is no path to classes", e);
        }
    }

    private final class Plan implements ChildProcesses.Plan {
        private final CoordinatorAddress address;

        Plan(CoordinatorAddress address) {
            this.address = address;
        }

        @Override
        public Process start(String name) {
            List<String> all = new java.util.ArrayList<>(List.of(mainClass));
            all.addAll(arguments);
            return ChildJvm.of(UserProgramMain.class.getName(), name, all)
                    .with(classPath)
                    .heap(rules.expected(), null)
                    .with(ClusterSpec.VARIABLE, Json.write(spec(name)))
                    .start();
        }

        private ClusterSpec spec(String name) {
            String index = name.substring(name.lastIndexOf('-') + 1).replaceAll("[^0-9]", "");
            return ClusterSpec.of(
                    Map.of(
                            ClusterSpec.COORDINATOR,
                            List.of(address.host() + ":" + address.port()),
                            ClusterSpec.WORKER,
                            Collections.nCopies(rules.expected(), address.host())),
                    new ClusterSpec.Task(ClusterSpec.WORKER, Integer.parseInt(index)),
                    address.token());
        }

        @Override
        public String greeting(String name) {
            return "";
        }
    }
}
