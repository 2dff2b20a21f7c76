package dev.tutti.source.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.data.DataException;
import dev.tutti.source.TableAddress;
import dev.tutti.source.table.BadRows;
import dev.tutti.source.table.ColumnStore;
import dev.tutti.source.table.ColumnType;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Tables of a real PostgreSQL, which the test starts. */
class PostgresTest {
    private static final int ROWS = 5000;

    private static EmbeddedPostgres postgres;
    private static String url;

    @BeforeAll
    static void start() throws IOException, SQLException {
        postgres = EmbeddedPostgres.builder()
                .setPGStartupWait(Duration.ofSeconds(60))
                .start();
        url = postgres.getJdbcUrl("postgres", "postgres");
        execute(
                "create table people (id bigint primary key, name text, age int, joined timestamp, paid boolean, score numeric)");
        execute("insert into people select i * 3, 'p' || (i % 10), case when i % 7 = 0 then null else i % 90 end,"
                + " timestamp '2026-01-01' + i * interval '1 hour', i % 2 = 0, i / 4.0 from generate_series(0, "
                + (ROWS - 1) + ") i");
    }

    @AfterAll
    static void stop() throws IOException {
        postgres.close();
    }

    private static void execute(String sql) throws SQLException {
        try (Connection connection = postgres.getPostgresDatabase().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    @Test
    void aTableIsReadInTheOrderOfItsKey() {
        ColumnStore store =
                JdbcSource.table(url, "people", "id").range(700).load().store();
        assertThat(store.rows()).isEqualTo(ROWS);
        assertThat(store.schema().columns().stream().map(c -> c.type()).toList())
                .containsExactly(
                        ColumnType.INTEGER,
                        ColumnType.TEXT,
                        ColumnType.INTEGER,
                        ColumnType.TIME,
                        ColumnType.BOOLEAN,
                        ColumnType.NUMBER);
        for (long i : List.of(0L, 699L, 700L, 4999L)) {
            assertThat(store.range(0, i, i + 1).whole(0)).isEqualTo(3 * i);
            assertThat(store.range(1, i, i + 1).text(0)).hasValue("p" + i % 10);
            assertThat(store.range(5, i, i + 1).number(0)).isEqualTo(i / 4.0);
        }
        assertThat(store.range(2, 0, 1).isMissing(0)).isTrue();
        assertThat(store.range(3, 25, 26).text(0)).hasValue("2026-01-02T01:00:00");
        ColumnStore old = JdbcSource.query(url, "select id, age from people where age > 80", "id")
                .load()
                .store();
        assertThat(old.rows()).isBetween(300L, 500L);
    }

    @Test
    void aConnectionThatIsDroppedIsOpenedAgainBehindTheLastKey() throws Exception {
        var reading = CompletableFuture.supplyAsync(() -> JdbcSource.query(
                        url,
                        "select id, case when id % 7500 = 0 then pg_sleep(0.1)::text end as slept from people",
                        "id")
                .range(1000)
                .load()
                .store());
        int dropped = 0;
        while (!reading.isDone()) {
            Thread.sleep(50);
            try (Connection connection = postgres.getPostgresDatabase().getConnection();
                    Statement statement = connection.createStatement();
                    var result = statement.executeQuery("select count(pg_terminate_backend(pid)) from pg_stat_activity"
                            + " where query like '%pg_sleep%' and pid <> pg_backend_pid()")) {
                result.next();
                dropped += dropped < 3 ? result.getInt(1) : 0;
            }
            if (dropped >= 3) {
                break;
            }
        }
        ColumnStore store = reading.get(60, TimeUnit.SECONDS);
        assertThat(dropped).isPositive();
        assertThat(store.rows()).isEqualTo(ROWS);
        for (int i = 0; i < ROWS; i++) {
            assertThat(store.range(0, i, i + 1L).whole(0)).isEqualTo(3L * i);
        }
    }

    @Test
    void whatIsWrongIsSaid() {
        assertThatThrownBy(() -> JdbcSource.table(url, "nobody", "id").load())
                .isInstanceOf(DataException.class)
                .hasMessageContaining("nobody");
        assertThatThrownBy(() -> JdbcSource.table(url, "people", "name").load())
                .hasMessageContaining("the key 'name' is p0 in two rows");
        assertThatThrownBy(() -> JdbcSource.table("jdbc:postgresql://127.0.0.1:1/x", "people", "id")
                        .load())
                .isInstanceOf(DataException.class)
                .hasMessageContaining("127.0.0.1:1");
        assertThatThrownBy(() -> JdbcSource.table(url, "people", "id")
                        .user("x", "TUTTI_NOT_SET")
                        .load())
                .hasMessageContaining("TUTTI_NOT_SET");
        assertThatThrownBy(() -> JdbcSource.table(url, "people", "id")
                        .types(Map.of("name", ColumnType.NUMBER))
                        .load())
                .hasMessageContaining("row with key 0")
                .hasMessageContaining("column 'name': expected number, received 'p0'");
        assertThat(JdbcSource.table(url, "people", "id")
                        .types(Map.of("name", ColumnType.NUMBER))
                        .badRows(BadRows.skip(ROWS))
                        .load()
                        .badRows())
                .isEqualTo(ROWS);
    }

    @Test
    void anAddressIsEnoughWhereTheTableHasAPrimaryKey() throws SQLException {
        String address = url.replaceFirst("\\?.*", "").replaceFirst("^jdbc:postgresql://", "postgresql://postgres@");
        TableAddress people = TableAddress.database(address, "people", null, null, null);
        assertThat(people.name()).isEqualTo("people");
        assertThat(people.yaml()).contains("key: id").contains("user: postgres").contains("jdbc:postgresql://");
        assertThat(people.source().load().store().rows()).isEqualTo(ROWS);
        execute("create table if not exists nokey (x int)");
        assertThatThrownBy(() -> TableAddress.database(address, "nokey", null, null, null))
                .hasMessageContaining("table 'nokey' has no primary key")
                .hasMessageContaining("--key");
        assertThatThrownBy(() -> TableAddress.database("postgresql://me:secret@host/db", "people", null, null, null))
                .hasMessageContaining("holds a password")
                .hasMessageNotContaining("secret");
    }
}
