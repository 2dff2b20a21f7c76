package dev.tutti.bench.network;

import java.util.ArrayList;
import java.util.List;

/**
 * What every member sums, and how often.
 *
 * @param bytes of the vectors, one after the other
 * @param times how often each is summed
 */
record SumOrders(List<Integer> bytes, List<Integer> times) {
    /** As arguments of a member: {@code BYTESxTIMES,...}. */
    @Override
    public String toString() {
        List<String> words = new ArrayList<>();
        for (int i = 0; i < bytes.size(); i++) {
            words.add(bytes.get(i) + "x" + times.get(i));
        }
        return String.join(",", words);
    }

    static SumOrders parse(String text) {
        List<Integer> bytes = new ArrayList<>();
        List<Integer> times = new ArrayList<>();
        for (String word : text.split(",")) {
            String[] numbers = word.split("x");
            bytes.add(Integer.parseInt(numbers[0]));
            times.add(Integer.parseInt(numbers[1]));
        }
        return new SumOrders(bytes, times);
    }
}
