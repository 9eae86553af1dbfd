package dev.gpubroker.adapter.aliyun;

import dev.gpubroker.adapter.spi.AccountSettings;
import dev.gpubroker.adapter.spi.AdapterFactory;
import dev.gpubroker.adapter.spi.PlatformAdapter;
import java.time.InstantSource;
import java.util.List;

/**
 * Makes adapters of Alibaba Cloud ECS (阿里云). Credentials: an access key of a RAM user that may call the operations which
 * {@link AliyunAdapter} names; temporary ones also have a {@code securityToken}. Options: see {@link AliyunOptions}.
 */
public final class AliyunAdapterFactory implements AdapterFactory {
    static final String PLATFORM = "aliyun";
    static final String KEY_ID = "accessKeyId";
    static final String KEY_SECRET = "accessKeySecret";
    static final String SECURITY_TOKEN = "securityToken";

    @Override
    public String platform() {
        return PLATFORM;
    }

    @Override
    public List<String> credentialNames() {
        return List.of(KEY_ID, KEY_SECRET);
    }

    @Override
    public List<String> defaultRegions() {
        return List.of("cn-hangzhou");
    }

    @Override
    public PlatformAdapter create(AccountSettings settings) {
        AliyunOptions options = AliyunOptions.of(settings);
        return new AliyunAdapter(settings, options, new AliyunClient(settings, options, InstantSource.system()));
    }
}
