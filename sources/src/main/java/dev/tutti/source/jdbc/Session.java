package dev.tutti.source.jdbc;

import dev.tutti.data.DataException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Properties;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A connection that is opened again when it is lost; work under way is then done again. */
final class Session implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Session.class);
    private static final long PAUSE_MILLIS = 200;
    private static final int VALID_SECONDS = 5;

    private final String url;
    private final Properties properties = new Properties();
    private final long patience;
    private Connection connection;

    Session(String url, String user, String passwordVariable, long patience) {
        this.url = url;
        this.patience = patience;
        if (user != null) {
            properties.setProperty("user", user);
        }
        if (passwordVariable != null) {
            String password = System.getenv(passwordVariable);
            if (password == null) {
                throw new DataException("the environment variable " + passwordVariable
                        + ", which should hold the password of the database, is not set");
            }
            properties.setProperty("password", password);
        }
    }

    /** Something done with a connection, which leaves no trace until it is done. */
    interface Work<T> {
        T with(Connection connection) throws SQLException;
    }

    <T> T with(Work<T> work) {
        long deadline = System.nanoTime() + patience * 1_000_000;
        for (boolean again = false; ; again = true) {
            try {
                if (connection == null) {
                    connection = DriverManager.getConnection(url, properties);
                }
                return work.with(connection);
            } catch (SQLException e) {
                if (!isLost(e) || !again && connection == null || System.nanoTime() > deadline) {
                    throw new DataException(
                            "the database at " + shortUrl() + " "
                                    + (again
                                            ? "was lost and did not come back within " + patience / 1000.0 + " s: "
                                            : "said: ")
                                    + e.getMessage(),
                            e);
                }
                LOG.info("the connection to {} was lost ({}); going on with a new one", shortUrl(), e.getMessage());
                close();
                pause();
            }
        }
    }

    private boolean isLost(SQLException e) {
        String state = String.valueOf(e.getSQLState());
        if (state.startsWith("08") || state.startsWith("57P")) {
            return true;
        }
        try {
            return connection == null || !connection.isValid(VALID_SECONDS);
        } catch (SQLException again) {
            return true;
        }
    }

    private static void pause() {
        try {
            Thread.sleep(PAUSE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new DataException("interrupted while a database was being read", e);
        }
    }

    private String shortUrl() {
        return url.replaceFirst("\\?.*", "");
    }

    @Override
    public void close() {
        if (connection != null) {
            try {
                connection.close();
            } catch (SQLException e) {
                LOG.debug("the connection could not be closed", e);
            }
            connection = null;
        }
    }
}
