package dev.tutti.spark.launch;

import dev.tutti.spark.feed.PartitionSupply;
import dev.tutti.spark.feed.RowLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.Dependency;
import org.apache.spark.NarrowDependency;
import org.apache.spark.Partition;
import org.apache.spark.SparkContext;
import org.apache.spark.TaskContext;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import scala.collection.Iterator;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;
import scala.reflect.ClassTag$;

/**
 * The members of a training as an RDD with one partition for each. Every member can read every partition of the tables, so that the
 * rows of a lost member are read by the others at once; those that lie near a member are leased to it first.
 */
final class MemberRdd extends RDD<String> {
    private static final long serialVersionUID = 1;

    private final TaskInvitation invitation;
    private final ArrayList<String> names = new ArrayList<>();
    private final ArrayList<RowLayout> layouts = new ArrayList<>();
    private final ArrayList<RDD<InternalRow>> tables = new ArrayList<>();

    MemberRdd(SparkContext context, TaskInvitation invitation, List<FedTable> fed) {
        super(context, dependencies(fed), ClassTag$.MODULE$.apply(String.class));
        this.invitation = invitation;
        for (FedTable table : fed) {
            names.add(table.name());
            layouts.add(table.layout());
            tables.add(table.rows());
        }
    }

    private static Seq<Dependency<?>> dependencies(List<FedTable> tables) {
        List<Dependency<?>> all = new ArrayList<>();
        tables.forEach(table -> all.add(new EveryPartition(table.rows())));
        return CollectionConverters.asScala(all).toSeq();
    }

    @Override
    public Partition[] getPartitions() {
        Partition[][] parts = tables.stream().map(RDD::partitions).toArray(Partition[][]::new);
        return IntStream.range(0, invitation.members())
                .mapToObj(i -> new MemberPartition(i, parts))
                .toArray(Partition[]::new);
    }

    @Override
    public Seq<String> getPreferredLocations(Partition split) {
        List<String> hosts = new ArrayList<>();
        MemberPartition member = (MemberPartition) split;
        for (int t = 0; t < tables.size(); t++) {
            Partition[] parts = member.parts()[t];
            for (int p = 0; p < parts.length; p++) {
                if (PartitionSupply.isNear(p, parts.length, member.index(), invitation.members())) {
                    hosts.addAll(CollectionConverters.asJava(tables.get(t).preferredLocations(parts[p])));
                }
            }
        }
        return CollectionConverters.asScala(hosts.stream().distinct().limit(3).toList())
                .toSeq();
    }

    @Override
    public Iterator<String> compute(Partition split, TaskContext context) {
        MemberPartition member = (MemberPartition) split;
        try (PartitionSupply supply = new PartitionSupply(context, member.index(), invitation.members())) {
            for (int t = 0; t < tables.size(); t++) {
                supply.add(names.get(t), tables.get(t), member.parts()[t], layouts.get(t));
            }
            String ending = new MemberTask(invitation, context, supply).run();
            return CollectionConverters.asScala(List.of(ending).iterator());
        }
    }

    /** Each member may read every partition of a table. */
    private static final class EveryPartition extends NarrowDependency<InternalRow> {
        private static final long serialVersionUID = 1;

        EveryPartition(RDD<InternalRow> table) {
            super(table);
        }

        @Override
        public Seq<Object> getParents(int member) {
            List<Object> all = new ArrayList<>();
            for (int i = 0; i < rdd().partitions().length; i++) {
                all.add(i);
            }
            return CollectionConverters.asScala(all).toSeq();
        }
    }
}
