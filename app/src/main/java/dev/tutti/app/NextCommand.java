package dev.tutti.app;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** Commands that are shown to be typed next: quoted for a shell, and right for the folder the user is in. */
public final class NextCommand {
    private NextCommand() {}

    public static String of(String... arguments) {
        return of(Arrays.asList(arguments));
    }

    public static String of(List<String> arguments) {
        return script(System.getProperty("tutti.home"), Path.of("")) + " " + line(arguments);
    }

    /** Words as a shell takes them. */
    public static String line(List<String> words) {
        return words.stream().map(NextCommand::quoted).collect(Collectors.joining(" "));
    }

    /** How the tutti script is called from a folder. */
    static String script(String home, Path here) {
        if (home == null) {
            return "./tutti";
        }
        Path script = fromHere(Path.of(home, "tutti"), here);
        return quoted(script.getNameCount() == 1 && !script.isAbsolute() ? "./" + script : script.toString());
    }

    /** The path from a folder if it lies in it, otherwise the whole path. */
    public static Path fromHere(Path path, Path here) {
        Path whole = path.toAbsolutePath().normalize();
        Path folder = here.toAbsolutePath().normalize();
        return whole.startsWith(folder) ? folder.relativize(whole) : whole;
    }

    static String quoted(String argument) {
        return argument.matches("[\\w./:=,+@%-]+") ? argument : "'" + argument.replace("'", "'\\''") + "'";
    }
}
