package dev.tutti.app;

import dev.tutti.TuttiException;
import dev.tutti.app.input.InputException;
import dev.tutti.cluster.launch.LaunchException;
import dev.tutti.cluster.rpc.CoordinatorLostException;
import dev.tutti.comm.GroupChangedException;
import dev.tutti.data.DataException;
import dev.tutti.io.FileException;
import dev.tutti.json.ConfigException;
import dev.tutti.loss.TargetException;
import dev.tutti.metric.MetricException;
import dev.tutti.nn.ShapeException;
import dev.tutti.nn.UnsupportedLayerException;
import dev.tutti.tensor.TensorException;
import dev.tutti.tensor.script.ScriptException;
import dev.tutti.train.TrainingException;
import dev.tutti.train.quantize.QualityLostException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Collectors;

/** What a user is told when a command fails: one message and a code; a stack trace only for a fault of ours. */
record FailureMessage(String message, ExitCode code) {
    static FailureMessage of(Throwable cause) {
        if (cause instanceof TuttiException) {
            return new FailureMessage(cause.getMessage() + firstToFail(cause), code(cause));
        }
        if (cause instanceof OutOfMemoryError) {
            return new FailureMessage(
                    "there is not enough memory (" + cause.getMessage()
                            + "): try a smaller batch, or give the JVM more with TUTTI_JAVA_OPTS=-Xmx8g",
                    ExitCode.FAULT);
        }
        return new FailureMessage(
                "This is a fault in Tutti, not in what you did: " + cause + logged(cause), ExitCode.FAULT);
    }

    /** Which worker failed first and why, where the failure of one has become that of all. */
    private static String firstToFail(Throwable failure) {
        return Arrays.stream(failure.getSuppressed())
                .filter(LaunchException.class::isInstance)
                .map(first -> "\n" + first.getMessage())
                .collect(Collectors.joining());
    }

    private static ExitCode code(Throwable cause) {
        if (cause instanceof UsageException) {
            return ExitCode.USAGE;
        }
        if (isMissing(cause)) {
            return ExitCode.DATA;
        }
        if (cause instanceof ConfigException
                || cause instanceof ShapeException
                || cause instanceof UnsupportedLayerException) {
            return ExitCode.JOB;
        }
        if (cause instanceof InputException
                || cause instanceof DataException
                || cause instanceof MetricException
                || cause instanceof TargetException) {
            return ExitCode.DATA;
        }
        if (cause instanceof TrainingException || cause instanceof TensorException) {
            return ExitCode.TRAINING;
        }
        if (cause instanceof GroupChangedException || cause instanceof CoordinatorLostException) {
            return ExitCode.LOST;
        }
        if (cause instanceof QualityLostException) {
            return ExitCode.DIFFERS;
        }
        if (cause instanceof LaunchException) {
            return ExitCode.USAGE;
        }
        return cause instanceof FileException || cause instanceof ScriptException ? ExitCode.FILE : ExitCode.FAULT;
    }

    /** Whether it failed because a named file or folder of any kind does not exist. */
    private static boolean isMissing(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof NoSuchFileException) {
                return true;
            }
        }
        return false;
    }

    private static String logged(Throwable cause) {
        try {
            Path log = Files.createTempFile("tutti-", ".log");
            Files.writeString(log, trace(cause));
            return "\nThe stack trace is in " + log + " (--verbose prints it): please report it.";
        } catch (IOException e) {
            return "\n--verbose prints the stack trace: please report it.";
        }
    }

    static String trace(Throwable cause) {
        StringWriter text = new StringWriter();
        cause.printStackTrace(new PrintWriter(text));
        return text.toString();
    }
}
