package dev.tutti.train.callback;

import dev.tutti.train.EpochResult;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Shows how training goes: on a terminal one line that is drawn anew some times a second, elsewhere a plain line now and then.
 */
public final class ProgressBar implements Callback {
    private static final long REDRAW_NANOS = Duration.ofMillis(100).toNanos();
    private static final long LINE_NANOS = Duration.ofSeconds(10).toNanos();
    private static final int WIDTH = 16;
    private static final String PARTS = " ▏▎▍▌▋▊▉";
    /** A line longer than the terminal is cut: were it wrapped, it could not be drawn anew in place. */
    private static final String CUT = "\033[?7l";

    private static final String WRAP = "\033[?7h";

    private final PrintStream out;
    private final boolean terminal;
    private long begun;
    private long drawn;
    private long stepAtBegin;

    public ProgressBar(PrintStream out, boolean terminal) {
        this.out = out;
        this.terminal = terminal;
    }

    /** On the standard output of the process, in UTF-8: a container that sets no locale would show question marks instead of bars. */
    static ProgressBar ofProcess() {
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
        return new ProgressBar(out, onTerminal());
    }

    /** Whether standard output is a terminal that can draw a line anew. Before JDK 22 standard input has to be one as well. */
    private static boolean onTerminal() {
        java.io.Console console = System.console();
        if (console == null || "dumb".equals(System.getenv("TERM"))) {
            return false;
        }
        try { // since JDK 22 a console exists without a terminal as well, and has a method to tell
            return (boolean) java.io.Console.class.getMethod("isTerminal").invoke(console);
        } catch (ReflectiveOperationException e) {
            return true;
        }
    }

    @Override
    public boolean showsProgress() {
        return true;
    }

    @Override
    public void begin(Run run) {
        begun = System.nanoTime();
        drawn = begun;
        stepAtBegin = run.step();
        if (run.step() > 0) {
            out.println("going on at step " + run.step() + ", epoch " + run.epoch());
        }
    }

    @Override
    public void step(Run run) {
        long now = System.nanoTime();
        if (now - drawn < (terminal ? REDRAW_NANOS : LINE_NANOS)) {
            return;
        }
        drawn = now;
        if (terminal) {
            out.print("\r\033[K" + CUT + line(run, now) + "\033[K" + WRAP);
            out.flush();
        } else {
            out.println(line(run, now));
        }
    }

    @Override
    public void epoch(Run run, EpochResult result) {
        out.println((terminal ? "\r\033[K" : "") + "epoch " + result.epoch() + "/" + run.epochs() + "  "
                + result.training()
                + result.validation()
                        .map(validation -> " | validation " + validation)
                        .orElse("")
                + String.format(Locale.ROOT, " | %.1f s", result.seconds()));
        out.flush();
    }

    @Override
    public void end(Run run, Optional<Throwable> failure) {
        if (terminal) {
            out.print("\r\033[K");
            out.flush();
        }
    }

    private String line(Run run, long now) {
        OptionalLong steps = run.stepsPerEpoch();
        String place = steps.isPresent()
                ? bar((double) run.stepOfEpoch() / steps.getAsLong()) + " " + run.stepOfEpoch() + "/"
                        + steps.getAsLong()
                : "step " + run.stepOfEpoch();
        double seconds = (now - begun) / 1e9;
        String left = "";
        if (steps.isPresent() && run.step() > stepAtBegin) {
            long all = steps.getAsLong() * run.epochs();
            left = time((all - run.step()) * seconds / (run.step() - stepAtBegin)) + " left  ";
        }
        return "epoch " + run.epoch() + "/" + run.epochs() + "  " + place + "  " + run.soFar() + "  " + left
                + count(run.samplesSeen() / seconds) + " samples/s";
    }

    private String bar(double done) {
        if (!terminal) {
            return String.format(Locale.ROOT, "%3.0f%%", 100 * done);
        }
        int eighths = (int) Math.round(Math.min(1, done) * WIDTH * 8);
        String full = "█".repeat(eighths / 8);
        String part = eighths % 8 == 0 ? "" : PARTS.substring(eighths % 8, eighths % 8 + 1);
        return "▕" + full + part + " ".repeat(WIDTH - full.length() - part.length()) + "▏";
    }

    private static String count(double value) {
        return value >= 1000
                ? String.format(Locale.ROOT, "%.1fk", value / 1000)
                : String.format(Locale.ROOT, "%.0f", value);
    }

    private static String time(double seconds) {
        long whole = Math.max(0, Math.round(seconds));
        if (whole < 60) {
            return whole + " s";
        }
        return whole < 3600
                ? String.format(Locale.ROOT, "%d:%02d min", whole / 60, whole % 60)
                : String.format(Locale.ROOT, "%d:%02d h", whole / 3600, whole % 3600 / 60);
    }
}
