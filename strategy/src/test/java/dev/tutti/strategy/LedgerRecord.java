package dev.tutti.strategy;

import dev.tutti.comm.Leases;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Remembers who used which chunk, as members tell the coordinator, which itself sees to it that none is used twice. */
final class LedgerRecord {
    static final String A_RUN_BEFORE = "a run before";

    private final Map<Integer, Integer> chunks = new TreeMap<>();
    private final Map<Integer, Map<Integer, String>> users = new TreeMap<>();

    /** A member's leases, looked at from here. */
    Leases of(String member, Leases real, Runnable leasing, Runnable told) {
        return Around.calls(Leases.class, real, call -> {
            if (call.name().equals("lease")) {
                leasing.run();
            }
            Object answer = call.proceed();
            List<Object> given = call.given();
            if (call.name().equals("begin")) {
                begun((Integer) given.get(0), (Integer) given.get(1), numbers(given.get(2)));
            } else if (call.name().equals("used") && given.size() == 2) {
                used((Integer) given.get(0), numbers(given.get(1)), member);
                told.run();
            }
            return answer;
        });
    }

    private static List<Integer> numbers(Object list) {
        return ((List<?>) list).stream().map(Integer.class::cast).toList();
    }

    private synchronized void begun(int epoch, int count, List<Integer> before) {
        if (chunks.putIfAbsent(epoch, count) == null) {
            used(epoch, before, A_RUN_BEFORE);
        }
    }

    private synchronized void used(int epoch, List<Integer> numbers, String member) {
        Map<Integer, String> of = users.computeIfAbsent(epoch, number -> new TreeMap<>());
        numbers.forEach(number -> of.put(number, member));
    }

    synchronized int chunks(int epoch) {
        return chunks.get(epoch);
    }

    synchronized Map<Integer, String> users(int epoch) {
        return new TreeMap<>(users.get(epoch));
    }
}
