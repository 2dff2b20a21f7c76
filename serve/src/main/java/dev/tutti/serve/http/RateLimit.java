package dev.tutti.serve.http;

/** A token bucket: so many requests in a second, a second's worth at once. */
final class RateLimit {
    private final double perSecond;
    private double tokens;
    private long filled = System.nanoTime();

    RateLimit(double perSecond) {
        this.perSecond = perSecond;
        this.tokens = Math.max(1, perSecond);
    }

    /** Takes a token; gives 0, or the seconds until there is one again. */
    synchronized double take() {
        if (perSecond == 0) {
            return 0;
        }
        long now = System.nanoTime();
        tokens = Math.min(Math.max(1, perSecond), tokens + (now - filled) / 1e9 * perSecond);
        filled = now;
        if (tokens >= 1) {
            tokens--;
            return 0;
        }
        return (1 - tokens) / perSecond;
    }
}
