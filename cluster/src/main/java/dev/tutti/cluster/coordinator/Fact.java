package dev.tutti.cluster.coordinator;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import dev.tutti.comm.Leases;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** Something the coordinator has decided. What it keeps is the sum of all facts, so a log of them is all that it needs. */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "fact")
@JsonSubTypes({
    @JsonSubTypes.Type(value = Fact.Joined.class, name = "joined"),
    @JsonSubTypes.Type(value = Fact.Described.class, name = "described"),
    @JsonSubTypes.Type(value = Fact.HostNamed.class, name = "hostNamed"),
    @JsonSubTypes.Type(value = Fact.Lost.class, name = "lost"),
    @JsonSubTypes.Type(value = Fact.Formed.class, name = "formed"),
    @JsonSubTypes.Type(value = Fact.Over.class, name = "over"),
    @JsonSubTypes.Type(value = Fact.Posted.class, name = "posted"),
    @JsonSubTypes.Type(value = Fact.Begun.class, name = "begun"),
    @JsonSubTypes.Type(value = Fact.Leased.class, name = "leased"),
    @JsonSubTypes.Type(value = Fact.Used.class, name = "used"),
    @JsonSubTypes.Type(value = Fact.GivenBack.class, name = "givenBack"),
    @JsonSubTypes.Type(value = Fact.Configured.class, name = "configured"),
    @JsonSubTypes.Type(value = Fact.Announced.class, name = "announced"),
    @JsonSubTypes.Type(value = Fact.Owned.class, name = "owned")
})
public sealed interface Fact {
    record Joined(String member, String session, String role, String host, String process, int trainings)
            implements Fact {}

    /**
     * The settings of the job, as its first worker brought them.
     *
     * @param trainings the training they belong to: the one after so many
     */
    record Described(int trainings, String member, SortedMap<String, String> settings) implements Fact {
        public Described {
            settings = Collections.unmodifiableSortedMap(new TreeMap<>(settings));
        }

        Described(int trainings, String member, Map<String, String> settings) {
            this(trainings, member, new TreeMap<>(settings));
        }
    }

    /**
     * A machine got its name among those of the job.
     *
     * @param machine what tells it from others
     * @param own the name it gives itself
     * @param host the name it has here
     */
    record HostNamed(String machine, String own, String host) implements Fact {}

    /** A member is no longer one; what it had leased others get. */
    record Lost(String member, LossCause cause, String why) implements Fact {}

    /**
     * A new group.
     *
     * @param members their ids in the order of their ranks
     * @param source the rank of the one whose state is the furthest
     * @param takeOver whether some have another state
     * @param role the role of all of them; workers where a journal does not say
     */
    record Formed(long generation, List<String> members, int source, boolean takeOver, String role) implements Fact {
        public Formed {
            members = List.copyOf(members);
            role = role == null ? MemberRecord.WORKER : role;
        }

        public boolean ofWorkers() {
            return role.equals(MemberRecord.WORKER);
        }
    }

    /** So many trainings are over: all of a group have gone, and not all because they failed. */
    record Over(int trainings) implements Fact {}

    /** @param role whose generation it is; the workers' where a journal does not say */
    record Posted(long generation, String name, String note, String role) implements Fact {
        public Posted {
            role = role == null ? MemberRecord.WORKER : role;
        }
    }

    /** @param dataset the name of the data set; journals of earlier versions have none */
    record Begun(String dataset, int epoch, int chunks, List<Integer> used) implements Fact {
        public Begun {
            dataset = dataset == null ? Leases.TRAINING : dataset;
            used = List.copyOf(used);
        }
    }

    record Leased(String dataset, int epoch, int chunk, String member) implements Fact {
        public Leased {
            dataset = dataset == null ? Leases.TRAINING : dataset;
        }
    }

    record Used(String dataset, int epoch, List<Integer> chunks, String member) implements Fact {
        public Used {
            dataset = dataset == null ? Leases.TRAINING : dataset;
            chunks = List.copyOf(chunks);
        }
    }

    record GivenBack(String dataset, int epoch, String member) implements Fact {
        public GivenBack {
            dataset = dataset == null ? Leases.TRAINING : dataset;
        }
    }

    record Configured(String key, String value, long version) implements Fact {}

    /** A member listens for messages of others. */
    record Announced(String member, String address) implements Fact {}

    /** A thing is held by these from now on, the first of whom decides. */
    record Owned(String thing, long term, List<String> holders) implements Fact {
        public Owned {
            holders = List.copyOf(holders);
        }
    }
}
