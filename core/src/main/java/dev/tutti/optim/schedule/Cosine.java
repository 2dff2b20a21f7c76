package dev.tutti.optim.schedule;

/** Falls along half a cosine wave: slowly, then fast, then slowly. */
public final class Cosine extends Annealing<Cosine> {
    private Cosine() {}

    static Cosine defaults() {
        return new Cosine();
    }

    @Override
    double curve(double position) {
        return (1 + Math.cos(Math.PI * position)) / 2;
    }
}
