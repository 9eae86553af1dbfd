package dev.gpubroker.broker.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gpubroker.broker.database.TestDatabase;
import io.vertx.core.Future;
import io.vertx.pgclient.PgBuilder;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.PoolOptions;
import io.vertx.sqlclient.SqlConnection;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class PgFaultsTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    @Test
    void aPoolThatHasNoConnectionToGiveIsUnavailableHoweverItIsAsked() {
        Pool pool = poolOfOne();
        SqlConnection only = pool.getConnection().await();
        Future<?> transaction = pool.withTransaction(connection -> Future.succeededFuture());
        Future<?> statement = pool.query("SELECT 1").execute();

        assertThat(faultOf(transaction)).matches(PgFaults::isUnavailable);
        assertThat(faultOf(statement)).matches(PgFaults::isUnavailable);

        only.close().await();
        pool.close().await();
    }

    @Test
    void aStatementThatIsWrongIsNoFaultOfTheDatabase() {
        assertThat(faultOf(DATABASE.database().pool().query("SELECT nothing").execute()))
                .matches(fault -> !PgFaults.isUnavailable(fault));
    }

    private static Pool poolOfOne() {
        PgConnectOptions options = DATABASE.database().connectOptions();
        return PgBuilder.pool()
                .with(new PoolOptions()
                        .setMaxSize(1)
                        .setConnectionTimeout(50)
                        .setConnectionTimeoutUnit(TimeUnit.MILLISECONDS))
                .connectingTo(options)
                .using(DATABASE.vertx())
                .build();
    }

    private static Throwable faultOf(Future<?> future) {
        return future.transform(result -> Future.succeededFuture(result.cause()))
                .await();
    }
}
