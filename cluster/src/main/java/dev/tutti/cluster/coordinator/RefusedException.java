package dev.tutti.cluster.coordinator;

import dev.tutti.TuttiException;
import java.util.List;
import java.util.Objects;

/** The coordinator does not do what it was asked for; the message says why and what to do. */
public final class RefusedException extends TuttiException {
    private static final long serialVersionUID = 1;

    /** What a program has to tell apart. */
    public enum Kind {
        /** The member was declared gone; it may join as a new one. */
        GONE,
        /** The member was sent away for being slow; it is not to come back. */
        TOO_SLOW,
        /** The coordinator does not know such a member. */
        UNKNOWN,
        /** All places are taken. */
        FULL,
        /** The group is not the present one any more. */
        OLD_GENERATION,
        /** Fewer members are left than the job asks for. */
        TOO_FEW,
        /** The training is over: the member came too late. */
        OVER,
        /** The member was started with other settings than the job has, or with another version of Tutti. */
        OTHER_JOB,
        /** Another member holds it, or under a newer term. */
        FENCED,
        /** It contradicts what others said before. */
        CONTRADICTION
    }

    private final Kind kind;
    private final List<String> members;

    public RefusedException(Kind kind, String message) {
        this(kind, message, List.of());
    }

    /** @param members ids of those it is about */
    public RefusedException(Kind kind, String message, List<String> members) {
        super(message);
        this.kind = Objects.requireNonNull(kind, "kind");
        this.members = List.copyOf(members);
    }

    static RefusedException contradiction(String message) {
        return new RefusedException(Kind.CONTRADICTION, message);
    }

    public Kind kind() {
        return kind;
    }

    public List<String> members() {
        return members;
    }
}
