package dev.tutti.cluster.coordinator;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import dev.tutti.comm.Leases;
import java.util.List;

/** Something the coordinator has decided. What it keeps is the sum of all facts, so a log of them is all that it needs. */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "fact")
@JsonSubTypes({
    @JsonSubTypes.Type(value = Fact.Joined.class, name = "joined"),
    @JsonSubTypes.Type(value = Fact.Lost.class, name = "lost"),
    @JsonSubTypes.Type(value = Fact.Formed.class, name = "formed"),
    @JsonSubTypes.Type(value = Fact.Over.class, name = "over"),
    @JsonSubTypes.Type(value = Fact.Posted.class, name = "posted"),
    @JsonSubTypes.Type(value = Fact.Begun.class, name = "begun"),
    @JsonSubTypes.Type(value = Fact.Leased.class, name = "leased"),
    @JsonSubTypes.Type(value = Fact.Used.class, name = "used"),
    @JsonSubTypes.Type(value = Fact.GivenBack.class, name = "givenBack"),
    @JsonSubTypes.Type(value = Fact.Configured.class, name = "configured")
})
public sealed interface Fact {
    record Joined(String member, String session, String role, String host, String process, int trainings)
            implements Fact {}

    /** A member is no longer one; what it had leased others get. */
    record Lost(String member, LossCause cause, String why) implements Fact {}

    /**
     * A new group.
     *
     * @param members their ids in the order of their ranks
     * @param source the rank of the one whose state is the furthest
     * @param takeOver whether some have another state
     */
    record Formed(long generation, List<String> members, int source, boolean takeOver) implements Fact {
        public Formed {
            members = List.copyOf(members);
        }
    }

    /** So many trainings are over: all of a group have gone, and not all because they failed. */
    record Over(int trainings) implements Fact {}

    record Posted(long generation, String name, String note) implements Fact {}

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
}
