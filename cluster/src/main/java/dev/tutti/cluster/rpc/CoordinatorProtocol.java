package dev.tutti.cluster.rpc;

import dev.tutti.cluster.coordinator.MembershipNotice;
import dev.tutti.cluster.coordinator.Overview;
import dev.tutti.cluster.coordinator.Timeouts;
import dev.tutti.comm.ChunkPreference;
import dev.tutti.comm.Configuration;
import dev.tutti.comm.Member;
import dev.tutti.comm.Report;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** What goes over the wire between a member and the coordinator: the calls, and the records they carry. */
final class CoordinatorProtocol {
    static final String SERVICE = "tutti.Coordinator";
    static final Metadata.Key<String> TOKEN = Metadata.Key.of("tutti-token", Metadata.ASCII_STRING_MARSHALLER);
    static final Metadata.Key<String> KIND = Metadata.Key.of("tutti-refused", Metadata.ASCII_STRING_MARSHALLER);
    static final Metadata.Key<String> MEMBERS = Metadata.Key.of("tutti-members", Metadata.ASCII_STRING_MARSHALLER);
    /** The largest message: a list of some hundred thousand chunks. */
    static final int LARGEST = 4 << 20;

    static final int LARGEST_METADATA = 16 << 10;

    static final MethodDescriptor<Join, Joined> JOIN = unary("join", Join.class, Joined.class);
    static final MethodDescriptor<Leave, Done> LEAVE = unary("leave", Leave.class, Done.class);
    static final MethodDescriptor<Heartbeat, MembershipNotice> HEARTBEAT =
            unary("heartbeat", Heartbeat.class, MembershipNotice.class);
    static final MethodDescriptor<Caller, MembershipNotice> WATCH =
            method(MethodType.SERVER_STREAMING, "watch", Caller.class, MembershipNotice.class);
    static final MethodDescriptor<Meet, Met> MEET = unary("meet", Meet.class, Met.class);
    static final MethodDescriptor<Post, Done> POST = unary("post", Post.class, Done.class);
    static final MethodDescriptor<Read, Note> READ = unary("read", Read.class, Note.class);
    static final MethodDescriptor<Begin, Done> BEGIN = unary("begin", Begin.class, Done.class);
    static final MethodDescriptor<Lease, Leased> LEASE = unary("lease", Lease.class, Leased.class);
    static final MethodDescriptor<Chunks, Done> USE = unary("use", Chunks.class, Done.class);
    static final MethodDescriptor<Chunks, Done> GIVE_BACK = unary("giveBack", Chunks.class, Done.class);
    static final MethodDescriptor<Chunks, Chunks> USED = unary("used", Chunks.class, Chunks.class);
    static final MethodDescriptor<Setting, Configuration> CONFIGURE =
            unary("configure", Setting.class, Configuration.class);
    static final MethodDescriptor<Done, Configuration> CONFIGURATION =
            unary("configuration", Done.class, Configuration.class);
    static final MethodDescriptor<Exited, Done> EXITED = unary("exited", Exited.class, Done.class);
    static final MethodDescriptor<Done, Overview> OVERVIEW = unary("overview", Done.class, Overview.class);

    private CoordinatorProtocol() {}

    /** Who calls; the session is a secret of that member alone. */
    record Caller(String member, String session) {
        public Caller {
            Objects.requireNonNull(member, "member");
            Objects.requireNonNull(session, "session");
        }
    }

    /** Nothing more to say. @param ok always true: a record without components has no JSON */
    record Done(boolean ok) {
        static final Done DONE = new Done(true);
    }

    /**
     * @param version of Tutti that the member runs
     * @param machine what tells its host from others with the same name
     * @param settings of the job it was started for, by their paths
     */
    record Join(
            String session,
            String wish,
            String role,
            String host,
            String process,
            int trainings,
            String version,
            String machine,
            Map<String, String> settings) {
        public Join {
            Objects.requireNonNull(session, "session");
            Objects.requireNonNull(role, "role");
            Objects.requireNonNull(host, "host");
            Objects.requireNonNull(process, "process");
        }
    }

    record Joined(String member, Timeouts patience) {}

    record Leave(Caller caller, String why, boolean done) {
        public Leave {
            Objects.requireNonNull(caller, "caller");
            Objects.requireNonNull(why, "why");
        }
    }

    record Heartbeat(Caller caller, Report report) {
        public Heartbeat {
            Objects.requireNonNull(caller, "caller");
        }
    }

    /**
     * @param millis the longest to wait for the others before it is answered, in milliseconds
     * @param knows the generation whose members the caller knows, so that it can be told what has changed since; 0: none
     */
    record Meet(Caller caller, long after, long progress, List<String> accused, long millis, long knows) {
        public Meet {
            Objects.requireNonNull(caller, "caller");
            accused = List.copyOf(accused);
        }
    }

    /**
     * @param members null where there is a change instead
     * @param change null where there are members; both null: not yet, ask again
     */
    record Met(long generation, List<Member> members, GroupChange change, int source, boolean takeOver) {}

    record Post(Caller caller, long generation, String name, String note) {
        public Post {
            Objects.requireNonNull(caller, "caller");
            Objects.requireNonNull(name, "name");
            Objects.requireNonNull(note, "note");
        }
    }

    /** @param millis the longest to wait for it, in milliseconds */
    record Read(Caller caller, long generation, String name, long millis) {
        public Read {
            Objects.requireNonNull(caller, "caller");
            Objects.requireNonNull(name, "name");
        }
    }

    /** @param note null: not yet, ask again */
    record Note(String note) {}

    record Begin(Caller caller, String dataset, int epoch, int chunks, List<Integer> used) {
        public Begin {
            Objects.requireNonNull(caller, "caller");
            used = List.copyOf(used);
        }
    }

    record Chunks(Caller caller, String dataset, int epoch, List<Integer> chunks) {
        public Chunks {
            chunks = List.copyOf(chunks);
        }
    }

    record Lease(Caller caller, String dataset, int epoch, List<Integer> held, ChunkPreference preference) {
        public Lease {
            Objects.requireNonNull(caller, "caller");
            held = List.copyOf(held);
        }
    }

    /** @param chunk -1 for none */
    record Leased(int chunk) {}

    record Setting(String key, String value) {
        public Setting {
            Objects.requireNonNull(key, "key");
        }
    }

    record Exited(String process, String how) {
        public Exited {
            Objects.requireNonNull(process, "process");
            Objects.requireNonNull(how, "how");
        }
    }

    static <Q, A> MethodDescriptor<Q, A> unary(String name, Class<Q> request, Class<A> answer) {
        return method(MethodType.UNARY, name, request, answer);
    }

    private static <Q, A> MethodDescriptor<Q, A> method(
            MethodType type, String name, Class<Q> request, Class<A> answer) {
        return MethodDescriptor.<Q, A>newBuilder()
                .setType(type)
                .setFullMethodName(MethodDescriptor.generateFullMethodName(SERVICE, name))
                .setRequestMarshaller(new JsonMarshaller<>(request))
                .setResponseMarshaller(new JsonMarshaller<>(answer))
                .build();
    }
}
