package dev.tutti.comm;

import dev.tutti.DidYouMean;
import dev.tutti.TuttiException;
import java.util.List;
import java.util.ServiceLoader;

/**
 * What the members of a role other than the workers' do. A module that brings one lists it for {@link ServiceLoader}, and
 * launchers find it by the name of the role.
 */
public interface RoleProgram {
    /** The role it is the program of, such as {@code server}. */
    String role();

    /**
     * Does the work of one member; returns when the {@linkplain Team#isOver training is over} or there is nothing left to do. The
     * caller closes the team.
     *
     * @param team the member's way to the others; it has not met yet, and need not
     * @param settings what the program is told, as JSON: the launchers of this machine give it the job's assignment
     */
    void run(Team team, String settings);

    /**
     * Asks the program, from another thread, to give what it holds to other members and to return from {@link #run} early. A program that holds
     * nothing need not hear it.
     *
     * @return whether it does: if not, the caller ends the program in its own way
     */
    default boolean leave() {
        return false;
    }

    /**
     * The program of a role.
     *
     * @throws TuttiException if there is none on the class path
     */
    static RoleProgram named(String role) {
        List<RoleProgram> all = ServiceLoader.load(RoleProgram.class, RoleProgram.class.getClassLoader()).stream()
                .map(ServiceLoader.Provider::get)
                .toList();
        List<String> names = all.stream().map(RoleProgram::role).sorted().toList();
        return all.stream()
                .filter(program -> program.role().equals(role))
                .findFirst()
                .orElseThrow(() -> new TuttiException("there is no program for the role '" + role + "'"
                        + DidYouMean.hint(role, names) + ": expected one of " + names
                        + ", found by META-INF/services/" + RoleProgram.class.getName()));
    }
}
