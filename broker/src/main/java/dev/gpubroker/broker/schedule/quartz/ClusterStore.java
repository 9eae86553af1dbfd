package dev.gpubroker.broker.schedule.quartz;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.quartz.impl.jdbcjobstore.InvalidConfigurationException;
import org.quartz.impl.jdbcjobstore.JobStoreTX;
import org.quartz.impl.jdbcjobstore.PostgreSQLDelegate;
import org.quartz.utils.ConnectionProvider;
import org.quartz.utils.DBConnectionManager;

/** Quartz's tables, shared by all brokers of an installation. Public only because Quartz sets its properties by reflection. */
public final class ClusterStore extends JobStoreTX {
    private static final String CLUSTER = "gpu-broker";
    private static final long CHECK_IN_MILLIS = 2_000;
    /** The default of 15 s would let peers declare a broker dead after one blip of the database. */
    private static final long RETRY_MILLIS = 1_000;

    /** @param name unique in this JVM */
    ClusterStore(String name, DataSource source) {
        DBConnectionManager.getInstance().addConnectionProvider(name, new Connections(source));
        setDataSource(name);
        setTablePrefix("quartz.QRTZ_");
        try {
            setDriverDelegateClass(PostgreSQLDelegate.class.getName());
        } catch (InvalidConfigurationException e) {
            throw new IllegalStateException(e);
        }
        setUseProperties("true");
        setIsClustered(true);
        setClusterCheckinInterval(CHECK_IN_MILLIS);
        setDbRetryInterval(RETRY_MILLIS);
        setMakeThreadsDaemons(true);
    }

    /**
     * One name in the tables for all brokers, though each scheduler needs a name of its own inside a JVM: Quartz keeps a
     * static register of them.
     */
    @Override
    public void setInstanceName(String schedulerName) {
        super.setInstanceName(CLUSTER);
    }

    private record Connections(DataSource source) implements ConnectionProvider {
        @Override
        public Connection getConnection() throws SQLException {
            return source.getConnection();
        }

        @Override
        public void initialize() {
            // The pool is ready.
        }

        @Override
        public void shutdown() {
            // The pool belongs to the database, which closes it.
        }
    }
}
