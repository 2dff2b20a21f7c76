package dev.tutti.spark.launch;

import dev.tutti.data.DataException;
import dev.tutti.data.Sample;
import dev.tutti.data.source.RowSupplies;
import dev.tutti.data.source.RowSupply;
import dev.tutti.data.source.Source;
import dev.tutti.spark.SparkCluster;
import dev.tutti.spark.SparkPlace;
import dev.tutti.train.History;
import dev.tutti.train.RemoteTraining;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.spark.sql.SparkSession;

/** A session to train in, with tables that members are fed from; immutable. */
public final class SessionPlace implements SparkPlace {
    private final SparkSession session;
    private final List<FedTable> tables;

    public SessionPlace(SparkSession session) {
        this(session, List.of());
    }

    private SessionPlace(SparkSession session, List<FedTable> tables) {
        this.session = session;
        this.tables = List.copyOf(tables);
    }

    /** The same with another table. */
    public SessionPlace table(FedTable table) {
        List<FedTable> more = new ArrayList<>(tables);
        more.add(table);
        return new SessionPlace(session, more);
    }

    /** How many partitions a table has. */
    public int parts(String name) {
        return find(name)
                .orElseThrow(() -> new DataException("there is no table '" + name + "' here"))
                .rows()
                .partitions()
                .length;
    }

    private Optional<FedTable> find(String name) {
        return tables.stream().filter(table -> table.name().equals(name)).findFirst();
    }

    /** Runs something in the driver that asks for types and shapes of the tables, such as {@code Trainer.fit}. */
    public <T> T describing(Supplier<T> work) {
        RowSupply examples = new RowSupply() {
            @Override
            public Optional<Source.Cursor> rows(String source, int part, long skip) {
                return Optional.empty(); // the driver reads no rows
            }

            @Override
            public Optional<Sample> example(String source) {
                return find(source).map(table -> table.layout().example());
            }
        };
        try (RowSupplies.Installed installed = RowSupplies.forThread(examples)) {
            return work.get();
        }
    }

    @Override
    public History train(SparkCluster settings, RemoteTraining training) {
        return MasterPlace.train(settings, training, session, tables);
    }
}
