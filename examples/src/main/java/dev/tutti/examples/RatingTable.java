package dev.tutti.examples;

import dev.tutti.TuttiException;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * Ratings of items by users: from files in MovieLens' formats, or made by a seed with a structure that is known.
 *
 * <p>Made ones are {@code 3.5 + bias of user + bias of item + product of two tastes of 3 numbers + noise}, so no model can come below
 * {@link #NOISE}, and one that knows biases alone stays above {@link #BIASES_ALONE}.
 */
record RatingTable(List<Rating> training, List<Rating> test) {
    static final double NOISE = 0.5;

    /** The deviation of tastes and noise together. */
    static final double BIASES_ALONE = Math.sqrt(NOISE * NOISE + 3 * 0.36 * 0.36);

    /** What a user thinks of an item. */
    record Rating(long user, long item, float stars) {}

    private static final int USERS = 900;
    private static final int ITEMS = 600;
    private static final int COUNT = 90_000;

    static RatingTable made(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        double[][] users = tastes(random, USERS);
        double[][] items = tastes(random, ITEMS);
        Set<Long> known = new HashSet<>();
        List<Rating> all = new ArrayList<>();
        while (all.size() < COUNT) {
            int user = random.nextInt(USERS);
            int item = (int) (ITEMS * Math.pow(random.nextDouble(), 1.5)); // some items are rated more often
            if (!known.add((long) user * ITEMS + item)) {
                continue;
            }
            double stars = 3.5 + users[user][0] + items[item][0] + NOISE * gaussian(random);
            for (int i = 1; i < users[user].length; i++) {
                stars += users[user][i] * items[item][i];
            }
            all.add(new Rating(user + 1, item + 1, (float) stars));
        }
        return divided(all);
    }

    /** A bias and three numbers for each. */
    private static double[][] tastes(SplittableRandom random, int count) {
        double[][] all = new double[count][4];
        for (double[] each : all) {
            each[0] = 0.4 * gaussian(random);
            for (int i = 1; i < each.length; i++) {
                each[i] = 0.6 * gaussian(random);
            }
        }
        return all;
    }

    private static double gaussian(SplittableRandom random) {
        return Math.sqrt(-2 * Math.log(1 - random.nextDouble())) * Math.cos(2 * Math.PI * random.nextDouble());
    }

    /** One rating in ten, chosen by user and item, is for the test. */
    private static RatingTable divided(List<Rating> all) {
        List<Rating> training = new ArrayList<>();
        List<Rating> test = new ArrayList<>();
        for (Rating rating : all) {
            boolean tested = Math.floorMod((rating.user() * 31 + rating.item()) * 2654435761L >>> 7, 10L) == 0;
            (tested ? test : training).add(rating);
        }
        return new RatingTable(training, test);
    }

    /** A file {@code u.data} or {@code ratings.csv}, or a folder that has one of them, or {@code u1.base} and {@code u1.test}. */
    static RatingTable read(Path path) throws IOException {
        if (Files.isDirectory(path)) {
            if (Files.exists(path.resolve("u1.base")) && Files.exists(path.resolve("u1.test"))) {
                return new RatingTable(lines(path.resolve("u1.base")), lines(path.resolve("u1.test")));
            }
            for (String name : List.of("u.data", "ratings.csv")) {
                if (Files.exists(path.resolve(name))) {
                    return divided(lines(path.resolve(name)));
                }
            }
            throw new TuttiException(path + ": expected u1.base and u1.test, u.data, or ratings.csv in this folder");
        }
        return divided(lines(path));
    }

    private static List<Rating> lines(Path file) throws IOException {
        List<Rating> all = new ArrayList<>();
        try (BufferedReader reader = Files.newBufferedReader(file)) {
            int number = 0;
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                number++;
                if (line.isBlank() || number == 1 && line.startsWith("userId")) {
                    continue;
                }
                String[] cells = line.split("[,\t]|::", -1);
                try {
                    all.add(new Rating(
                            Long.parseLong(cells[0].trim()),
                            Long.parseLong(cells[1].trim()),
                            Float.parseFloat(cells[2].trim())));
                } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
                    throw new TuttiException(file + ", line " + number
                            + ": expected user, item and rating, divided by tabs or commas, received '" + line + "'");
                }
            }
        }
        if (all.isEmpty()) {
            throw new TuttiException(file + ": expected ratings, received an empty file");
        }
        return all;
    }
}
