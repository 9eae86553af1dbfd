package dev.gpubroker.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.VertxOptions;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** How the broker is put together. */
final class BrokerMainTest {
    @Test
    void anEventLoopThatIsSlowOnASlowMachineIsNotInTheLog() {
        VertxOptions options = BrokerMain.patient();

        Duration told = Duration.of(
                options.getMaxEventLoopExecuteTime(),
                options.getMaxEventLoopExecuteTimeUnit().toChronoUnit());
        Duration withItsStack = Duration.of(
                options.getWarningExceptionTime(),
                options.getWarningExceptionTimeUnit().toChronoUnit());
        assertThat(told).isEqualTo(Duration.ofSeconds(10));
        assertThat(withItsStack).isGreaterThan(told);
    }
}
