package dev.tutti.train.profile;

import dev.tutti.train.profile.Timing.Phase;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** What limits a run, found in where its members' time went. */
final class Bottleneck {
    /** Below this part of a step a phase is not worth optimising. */
    private static final double WORTH_SAYING = 0.1;

    /** From here on a member counts as slow: less is the usual noise of a machine. */
    private static final double SLOW = 1.2;

    /** From here on what happens beside the steps is worth a sentence of its own. */
    private static final double MUCH_BESIDE = 0.25;

    private final List<MemberTime> members;

    Bottleneck(List<MemberTime> members) {
        this.members = members;
    }

    String sentence() {
        if (members.stream().allMatch(each -> each.inSteps() == 0 || each.samples() == 0)) {
            return "no step was done";
        }
        Phase largest = Stream.of(Phase.WAIT, Phase.WIRE, Phase.FEED, Phase.UPDATE)
                .max(Comparator.comparingDouble(this::part))
                .orElseThrow();
        return (part(largest) < WORTH_SAYING ? computing() : beside(largest)) + besideSteps();
    }

    private String beside(Phase phase) {
        return switch (phase) {
            case WAIT -> "waiting " + percent(part(phase)) + " of the step: " + whoIsSlow();
            case WIRE ->
                "wire " + percent(part(phase)) + " of the step, " + sentPerStep()
                        + " sent by each member: try compression or averaging";
            case FEED -> "feeding " + percent(part(phase)) + " of the step: prefetch or cache the data";
            case UPDATE ->
                "update " + percent(part(phase)) + " of the step: larger batches need fewer updates"
                        + (members.size() > 1 ? ", and sharded optimizer state divides them" : "");
            case COMPUTE -> computing();
        };
    }

    private String computing() {
        return "compute " + percent(part(Phase.COMPUTE)) + " of the step: nothing to gain from "
                + (members.size() > 1 ? "the wire" : "feeding");
    }

    /** Who is slower than the others, by the time it is busy for a sample. */
    private String whoIsSlow() {
        List<MemberTime> busy =
                members.stream().filter(each -> each.samples() > 0).toList();
        MemberTime slowest =
                busy.stream().max(Comparator.comparingDouble(MemberTime::pace)).orElseThrow();
        double others = busy.stream()
                .filter(each -> !each.equals(slowest))
                .mapToDouble(MemberTime::pace)
                .average()
                .orElse(0);
        if (others == 0 || slowest.pace() < SLOW * others) {
            return "no member is slower than the others by much, so the wait is for each other in turn:"
                    + " larger batches, or averaging, meet less often";
        }
        return String.format(
                Locale.ROOT,
                "%s is %.1f times slower%s",
                slowest.member(),
                slowest.pace() / others,
                slowest.feeding() > slowest.compute() ? ", for it waits for its data" : "");
    }

    private String sentPerStep() {
        double mean = members.stream()
                .filter(each -> each.steps() > 0)
                .mapToDouble(each -> (double) each.sent() / each.steps())
                .average()
                .orElse(0);
        return TimeReport.bytes(mean);
    }

    private String besideSteps() {
        double beside = members.stream()
                .filter(each -> each.elapsed() > 0)
                .mapToDouble(each -> each.other() / each.elapsed())
                .average()
                .orElse(0);
        return beside < MUCH_BESIDE
                ? ""
                : "; " + percent(beside) + " of the run was no step: validation, checkpoints, callbacks";
    }

    /** The mean over the members. */
    private double part(Phase phase) {
        return members.stream()
                .filter(each -> each.inSteps() > 0)
                .mapToDouble(each -> each.part(phase))
                .average()
                .orElse(0);
    }

    private static String percent(double part) {
        return Math.round(100 * part) + "%";
    }
}
