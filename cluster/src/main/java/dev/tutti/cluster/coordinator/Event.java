package dev.tutti.cluster.coordinator;

import dev.tutti.comm.ChunkPreference;
import dev.tutti.comm.Leases;
import dev.tutti.comm.Report;
import java.util.List;
import java.util.Map;

/** Something that happens to the coordinator. Those of members carry the member's id; whether it is theirs is checked before. */
public sealed interface Event {
    /** Time has passed. */
    record Tick() implements Event {}

    /**
     * A process wants to become a member.
     *
     * @param session a secret that only this member has; joining again with the same one gives the same member
     * @param wish the id it would like, or null
     * @param role {@code worker} for those who train together
     * @param host where it runs
     * @param process the process it runs in, see {@link Event.Exited}
     * @param trainings that this process has done with this coordinator before: it comes for the one after those
     * @param machine what tells the host from others with the same name; empty if that is not known
     * @param settings of the job it was started for, by their paths; none for a program with a loop of its own
     */
    record Join(
            String session,
            String wish,
            String role,
            String host,
            String process,
            int trainings,
            String machine,
            Map<String, String> settings)
            implements Event {
        public Join {
            machine = machine == null ? "" : machine;
            settings = settings == null ? Map.of() : Map.copyOf(settings);
        }

        Join host(String other) {
            return new Join(session, wish, role, other, process, trainings, machine, settings);
        }

        /** For the first training. */
        public Join(String session, String wish, String role, String host, String process) {
            this(session, wish, role, host, process, 0);
        }

        /** Without the settings of a job. */
        public Join(String session, String wish, String role, String host, String process, int trainings) {
            this(session, wish, role, host, process, trainings, "", Map.of());
        }
    }

    /** A member goes in good order. @param done whether because the work of all is done */
    record Leave(String member, String why, boolean done) implements Event {
        /** Before the work is done. */
        public Leave(String member, String why) {
            this(member, why, false);
        }
    }

    /** A launcher saw a process end: all members in it are gone. */
    record Exited(String process, String how) implements Event {}

    /** A member is there. @param report how it is doing, or null */
    record Heartbeat(String member, Report report) implements Event {}

    /** A member has opened the connection on which it is told what happens. */
    record Connected(String member) implements Event {}

    /** That connection broke. */
    record Disconnected(String member) implements Event {}

    /**
     * A member wants to meet the others.
     *
     * @param after the generation it comes from, 0 at first
     * @param progress how far its state is, -1 for none
     * @param accused members it waited for in vain
     */
    record Meet(String member, long after, long progress, List<String> accused) implements Event {
        public Meet {
            accused = List.copyOf(accused);
        }
    }

    /** A note for the bulletin board of a generation. */
    record Post(String member, long generation, String name, String note) implements Event {}

    /** A member says how many chunks an epoch has. */
    record Begin(String member, String dataset, int epoch, int chunks, List<Integer> used) implements Event {
        public Begin {
            used = List.copyOf(used);
        }

        Begin(String member, int epoch, int chunks, List<Integer> used) {
            this(member, Leases.TRAINING, epoch, chunks, used);
        }
    }

    /**
     * A member wants a chunk.
     *
     * @param held those it has: one that it was given but knows nothing of is given again
     * @param preference which it would rather have
     */
    record Lease(String member, String dataset, int epoch, List<Integer> held, ChunkPreference preference)
            implements Event {
        public Lease {
            held = List.copyOf(held);
            preference = preference == null ? ChunkPreference.NONE : preference;
        }

        Lease(String member, int epoch, List<Integer> held) {
            this(member, Leases.TRAINING, epoch, held, ChunkPreference.NONE);
        }
    }

    /** Chunks were used. */
    record Use(String member, String dataset, int epoch, List<Integer> chunks) implements Event {
        public Use {
            chunks = List.copyOf(chunks);
        }

        Use(String member, int epoch, List<Integer> chunks) {
            this(member, Leases.TRAINING, epoch, chunks);
        }
    }

    /** A member gives back what it leased. */
    record GiveBack(String member, String dataset, int epoch) implements Event {
        GiveBack(String member, int epoch) {
            this(member, Leases.TRAINING, epoch);
        }
    }

    /** A member says where it listens for messages of others. */
    record Announce(String member, String address) implements Event {}

    /** A member wants to hold a thing that no other one holds. */
    record Claim(String member, String thing) implements Event {}

    /** The first holder of a thing says who holds it from now on. @param term under which it does */
    record Assign(String member, String thing, long term, List<String> holders) implements Event {
        public Assign {
            holders = List.copyOf(holders);
        }
    }

    /** Changes the configuration. @param value null takes the key away */
    record Configure(String key, String value) implements Event {}
}
