package dev.tutti.metric;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ExactSumTest {
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void isTheRoundedBigDecimalWhateverTheOrderAndTheParts(long seed) {
        Random random = new Random(seed);
        for (int round = 0; round < 60; round++) {
            List<Double> terms = terms(random, 1 + random.nextInt(200));
            BigDecimal twin = terms.stream().map(BigDecimal::new).reduce(BigDecimal.ZERO, BigDecimal::add);
            double expected = Double.parseDouble(twin.toString());
            ExactSum whole = sum(terms);
            assertThat(whole.value()).isEqualTo(expected);
            assertThat(whole.exact()).isEqualByComparingTo(twin);

            Collections.shuffle(terms, random);
            List<ExactSum> parts = new ArrayList<>();
            for (int from = 0; from < terms.size(); ) {
                int to = Math.min(terms.size(), from + 1 + random.nextInt(50));
                parts.add(sum(terms.subList(from, to)));
                from = to;
            }
            Collections.shuffle(parts, random);
            ExactSum merged = new ExactSum();
            parts.forEach(merged::add);
            assertThat(merged.toLongs()).isEqualTo(whole.toLongs());
        }
    }

    @Test
    void keepsWhatADoubleWouldLose() {
        assertThat(sum(List.of(1e300, 1.0, -1e300)).value()).isEqualTo(1.0);
        assertThat(sum(Collections.nCopies(10, 0.1)).value()).isEqualTo(1.0);
        assertThat(sum(List.of(Double.MAX_VALUE, Double.MAX_VALUE, -Double.MAX_VALUE))
                        .value())
                .isEqualTo(Double.MAX_VALUE);
        assertThat(sum(List.of(Double.MAX_VALUE, Double.MAX_VALUE)).value()).isEqualTo(Double.POSITIVE_INFINITY);
        assertThat(sum(List.of(-Double.MAX_VALUE, -Double.MAX_VALUE)).value()).isEqualTo(Double.NEGATIVE_INFINITY);
    }

    @Test
    void coversTheSmallestDoubles() {
        double smallest = Double.MIN_VALUE;
        assertThat(sum(List.of(smallest, smallest, smallest)).value()).isEqualTo(3 * smallest);
        assertThat(sum(List.of(-smallest)).value()).isEqualTo(-smallest);
        assertThat(sum(List.of(Double.MIN_NORMAL, -smallest)).value()).isEqualTo(Double.MIN_NORMAL - smallest);
        assertThat(new ExactSum().value()).isEqualTo(0.0);
        assertThat(sum(List.of(-5.0, 5.0)).exact()).isEqualByComparingTo(BigDecimal.ZERO);
    }

    @Test
    void halvesGoToTheEvenNeighbour() {
        double one = 1;
        double halfStep = Math.ulp(one) / 2;
        assertThat(sum(List.of(one, halfStep)).value()).isEqualTo(one);
        assertThat(sum(List.of(one, halfStep, Double.MIN_VALUE)).value()).isEqualTo(Math.nextUp(one));
        assertThat(sum(List.of(Math.nextUp(one), halfStep)).value()).isEqualTo(1 + 2 * Math.ulp(one));
    }

    @Test
    void infinitiesAndNansBehaveAsInAnySum() {
        assertThat(sum(List.of(1.0, Double.POSITIVE_INFINITY)).value()).isEqualTo(Double.POSITIVE_INFINITY);
        assertThat(sum(List.of(1.0, Double.NEGATIVE_INFINITY)).value()).isEqualTo(Double.NEGATIVE_INFINITY);
        assertThat(sum(List.of(Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY))
                        .value())
                .isNaN();
        assertThat(sum(List.of(1.0, Double.NaN)).value()).isNaN();
    }

    @Test
    void productsAreNotRoundedFirst() {
        ExactSum sum = new ExactSum();
        sum.addProduct(1e8 + 1, 1e8 + 1);
        sum.add(-1e16);
        sum.add(-2e8);
        assertThat(sum.value()).isEqualTo(1.0);
    }

    @Test
    void growsFarBeyondItsTerms() {
        ExactSum sum = new ExactSum();
        double term = Math.nextDown(2.0);
        int doublings = 40;
        sum.add(term);
        for (int i = 0; i < doublings; i++) {
            sum.add(sum);
        }
        assertThat(sum.value()).isEqualTo(Math.scalb(term, doublings));
    }

    private static ExactSum sum(List<Double> terms) {
        ExactSum sum = new ExactSum();
        terms.forEach(sum::add);
        return ExactSum.fromLongs(sum.toLongs(), 0);
    }

    /** Doubles of every size, some cancelling others. */
    private static List<Double> terms(Random random, int count) {
        Double[] terms = new Double[count];
        int spread = random.nextBoolean() ? 40 : 900;
        for (int i = 0; i < count; i++) {
            boolean cancels = i > 0 && random.nextInt(4) == 0;
            terms[i] = cancels
                    ? -terms[random.nextInt(i)]
                    : Math.scalb(random.nextGaussian(), random.nextInt(2 * spread) - spread);
        }
        return new ArrayList<>(Arrays.asList(terms));
    }
}
