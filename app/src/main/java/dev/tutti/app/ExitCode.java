package dev.tutti.app;

import java.util.Arrays;

/** How a command ended, as the number that scripts see. */
public enum ExitCode {
    FINE(0, "all went well"),
    FAULT(1, "something went wrong that is not your fault"),
    USAGE(2, "the command was called in a wrong way"),
    JOB(3, "a job or a definition is wrong, or does not fit its data"),
    DATA(4, "data or an input is wrong, or something that was named is missing: a job, a model, data, a folder"),
    TRAINING(5, "training failed, for instance because the loss became NaN"),
    FILE(6, "a file cannot be read or written, or the disk is full"),
    LOST(7, "members of the job were lost, or a process of it failed"),
    DIFFERS(8, "parity: the job does not agree with one worker; quantize: the smaller model is worse than allowed"),
    INTERRUPTED(130, "stopped by Ctrl-C or SIGTERM; training can be resumed");

    private final int number;
    private final String meaning;

    ExitCode(int number, String meaning) {
        this.number = number;
        this.meaning = meaning;
    }

    public int number() {
        return number;
    }

    /** The one with a number. */
    public static ExitCode of(int number) {
        return Arrays.stream(values())
                .filter(code -> code.number == number)
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no exit code has the number " + number));
    }

    /** Lines for the help text. */
    static String[] explained() {
        return Arrays.stream(values())
                .map(code -> String.format("  %3d  %s", code.number, code.meaning))
                .toArray(String[]::new);
    }
}
