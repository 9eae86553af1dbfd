package dev.gpubroker.adapter.huawei;

import dev.gpubroker.adapter.spi.AccountSettings;
import dev.gpubroker.adapter.spi.PlatformRef;
import dev.gpubroker.adapter.spi.SupportsTimedEnd;
import java.time.Instant;

/** An account that uses ECS alone: every machine has {@code auto_terminate_time}, which pools have not. */
final class HuaweiServerAdapter extends HuaweiAdapter implements SupportsTimedEnd {
    HuaweiServerAdapter(AccountSettings settings) {
        super(settings, HuaweiServices.ECS);
    }

    @Override
    public void moveEnd(PlatformRef ref, Instant end) {
        read(() -> {
            servers.moveEnd(client(ref.region()), ref, end);
            return true;
        });
    }
}
