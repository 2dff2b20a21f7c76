package dev.tutti.cluster.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.comm.Member;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class GroupChangeTest {
    private static List<Member> members(int... numbers) {
        return IntStream.of(numbers)
                .mapToObj(number -> new Member("worker-" + number, "host"))
                .toList();
    }

    @Test
    void aChangeNamesThoseWhoWentAndThoseWhoCame() {
        GroupChange change = GroupChange.between(3, members(0, 1, 2, 5), members(0, 2, 4, 5, 9))
                .orElseThrow();
        assertThat(change.gone()).containsExactly("worker-1");
        assertThat(change.joined()).extracting(placed -> placed.rank()).containsExactly(2, 4);
        assertThat(change.applyTo(members(0, 1, 2, 5))).isEqualTo(members(0, 2, 4, 5, 9));
    }

    @Test
    void anotherOrderIsNoChange() {
        assertThat(GroupChange.between(3, members(0, 1), members(1, 0))).isEmpty();
    }

    @Test
    void anyGroupComesOutOfTheOneBefore() {
        Random random = new Random(5);
        for (int i = 0; i < 200; i++) {
            List<Member> before = members(random.ints(0, 40)
                    .distinct()
                    .limit(random.nextInt(20))
                    .sorted()
                    .toArray());
            List<Member> now = members(random.ints(0, 40)
                    .distinct()
                    .limit(random.nextInt(20))
                    .sorted()
                    .toArray());
            assertThat(GroupChange.between(1, before, now).orElseThrow().applyTo(before))
                    .isEqualTo(now);
        }
    }

    @Test
    void aMemberOnAnotherHostIsAnotherMember() {
        List<Member> before = List.of(new Member("worker-0", "a"));
        List<Member> now = List.of(new Member("worker-0", "b"));
        assertThat(GroupChange.between(1, before, now).orElseThrow().applyTo(before))
                .isEqualTo(now);
    }
}
