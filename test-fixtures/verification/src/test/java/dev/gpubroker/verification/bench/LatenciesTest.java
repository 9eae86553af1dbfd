package dev.gpubroker.verification.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class LatenciesTest {
    @Test
    void aPercentileIsALatencyThatWasMeasuredAndThatManyDidNotExceed() {
        Latencies latencies = new Latencies(
                LongStream.rangeClosed(1, 100).map(i -> (101 - i) * 1_000_000).toArray());

        assertThat(latencies.percentile(50)).isEqualTo(50);
        assertThat(latencies.percentile(99)).isEqualTo(99);
        assertThat(latencies.percentile(99.1)).isEqualTo(100);
        assertThat(latencies.percentile(100)).isEqualTo(100);
    }

    @Test
    void ofASingleCallEveryPercentileIsItsLatency() {
        assertThat(new Latencies(new long[] {3_000_000}).percentile(1)).isEqualTo(3);
    }
}
