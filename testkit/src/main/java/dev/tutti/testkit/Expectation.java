package dev.tutti.testkit;

import dev.tutti.testkit.ProcessCluster.Outcome;
import dev.tutti.train.profile.MemberTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;

/** Something that can be seen in the outcome of a scenario. */
@FunctionalInterface
public interface Expectation {
    /** How much parameters may differ for the order in which floats were added. */
    double FLOAT_ORDER = 1e-4;

    /** How much accuracy may differ for the same reason: five of 500 samples that lie on the border. */
    double NOISE = 0.01;

    /** Part of its steps that a member waits at least when it waits for another. */
    double MUCH = 0.4;

    /** What speaks against it; nothing if it shows. */
    List<String> complaints(Outcome outcome);

    /** A member wrote a line with all of these words. */
    static Expectation logged(String... words) {
        return outcome ->
                outcome.log().stream().anyMatch(line -> Arrays.stream(words).allMatch(line::contains))
                        ? List.of()
                        : List.of("no member wrote a line with " + List.of(words));
    }

    /** A member failed with a message that holds all of these words. */
    static Expectation failed(String member, String... words) {
        return outcome -> {
            MemberResult result = outcome.results().get(member);
            String failure = result == null ? null : result.failure();
            return failure != null && Arrays.stream(words).allMatch(failure::contains)
                    ? List.of()
                    : List.of("expected " + member + " to fail with " + List.of(words) + ", received " + failure);
        };
    }

    /** A member failed because others are missing, and says who. */
    static Expectation misses(String member, String... missing) {
        return outcome -> {
            MemberResult result = outcome.results().get(member);
            List<String> named = result == null ? null : result.missing();
            return List.of(missing).equals(named)
                    ? List.of()
                    : List.of("expected " + member + " to miss " + List.of(missing) + ", received " + named);
        };
    }

    /**
     * Exactly these members came to the result of the undisturbed run, in which every sample counted once in every epoch, and to the
     * same bits.
     */
    static Expectation sound(TrainingScenario scenario, String... members) {
        return outcome -> {
            List<String> complaints = new ArrayList<>();
            MemberResult expected = scenario.undisturbed();
            MemberResult first = null;
            TreeSet<String> well = new TreeSet<>();
            for (var each : outcome.results().entrySet()) {
                MemberResult result = each.getValue();
                if (result.failed() && !List.of(members).contains(each.getKey())) {
                    continue; // whether it should have is another sign's matter
                }
                well.add(each.getKey());
                List<String> wrong = new ArrayList<>(result.complaints(scenario, expected, FLOAT_ORDER));
                if (wrong.isEmpty()) {
                    if (Math.abs(result.accuracy() - expected.accuracy()) > NOISE) {
                        wrong.add("expected an accuracy of " + expected.accuracy() + ", received " + result.accuracy());
                    }
                    first = first == null ? result : first;
                    if (first.distance(result) != 0) {
                        wrong.add("its parameters differ from those of others by " + first.distance(result));
                    }
                }
                wrong.forEach(complaint -> complaints.add(each.getKey() + ": " + complaint));
            }
            if (!well.equals(new TreeSet<>(List.of(members)))) {
                complaints.add("expected results of " + List.of(members) + ", received those of " + well);
            }
            return complaints;
        };
    }

    /** A slow member had as much to do as the others, who spent much of their time waiting. */
    static Expectation waitedFor(String slow) {
        return outcome -> {
            List<String> complaints = new ArrayList<>();
            double share = share(outcome, slow);
            if (share < 0.95 || share > 1.05) {
                complaints.add(String.format(Locale.ROOT, "%s had %.2f of an equal part", slow, share));
            }
            for (MemberTime each : times(outcome)) {
                if (!each.member().equals(slow) && each.waiting() < MUCH * each.inSteps()) {
                    complaints.add(each.member() + " did not wait much: " + each);
                }
            }
            return complaints;
        };
    }

    /** A member had a smaller part of the work than the others. @param most of an equal part, at most */
    static Expectation gotLess(String member, double most) {
        return outcome -> {
            double share = share(outcome, member);
            return share <= most
                    ? List.of()
                    : List.of(String.format(
                            Locale.ROOT,
                            "%s had %.2f of an equal part, expected at most %.2f: %s",
                            member,
                            share,
                            most,
                            times(outcome)));
        };
    }

    /** A member did steps. */
    static Expectation worked(String member) {
        return outcome -> times(outcome).stream().anyMatch(each -> each.member().equals(member) && each.samples() > 0)
                ? List.of()
                : List.of(member + " had no part of the work: " + times(outcome));
    }

    /** A member had the chief's part, whose callbacks say where all are. */
    static Expectation becameChief(String member) {
        return outcome -> outcome.events().stream().anyMatch(event -> member.equals(event.member()))
                ? List.of()
                : List.of(member + " did not become chief");
    }

    private static List<MemberTime> times(Outcome outcome) {
        return outcome.results().values().stream()
                .filter(result -> !result.failed())
                .findFirst()
                .map(MemberResult::times)
                .orElse(List.of());
    }

    /** What a member did, as a multiple of an equal part. */
    private static double share(Outcome outcome, String member) {
        List<MemberTime> times = times(outcome);
        long all = times.stream().mapToLong(MemberTime::samples).sum();
        return times.stream()
                .filter(each -> each.member().equals(member))
                .mapToDouble(each -> (double) each.samples() * times.size() / all)
                .findFirst()
                .orElse(Double.NaN);
    }
}
