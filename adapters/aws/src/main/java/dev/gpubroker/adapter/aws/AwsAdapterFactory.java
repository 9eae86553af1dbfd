package dev.gpubroker.adapter.aws;

import dev.gpubroker.adapter.spi.AccountSettings;
import dev.gpubroker.adapter.spi.AdapterFactory;
import dev.gpubroker.adapter.spi.PlatformAdapter;
import java.util.List;

/**
 * Makes adapters for Amazon EC2 Capacity Blocks.
 *
 * <p>Credentials: {@code accessKeyId}, {@code secretAccessKey}, and {@code sessionToken} for temporary ones. Options:
 *
 * <ul>
 *   <li>{@code image}: AMI to launch, of the region and of {@code platform}; {@code image.pytorch} and the like for a
 *       framework
 *   <li>{@code subnet.<zone>}, such as {@code subnet.us-east-2a}, else {@code subnet}; without them the default network
 *   <li>{@code securityGroups}: ids, separated by commas
 *   <li>{@code keyName}: EC2 key pair
 *   <li>{@code loginUser}: of the image, default {@code ubuntu}; {@code sshPort}: default 22
 *   <li>{@code platform}: of the image as EC2 names it, default {@code Linux/UNIX}
 *   <li>{@code dataDiskType}: EBS volume type, default {@code gp3}
 * </ul>
 */
public final class AwsAdapterFactory implements AdapterFactory {
    @Override
    public String platform() {
        return "aws";
    }

    @Override
    public List<String> credentialNames() {
        return List.of("accessKeyId", "secretAccessKey");
    }

    @Override
    public List<String> defaultRegions() {
        return List.of("us-east-2");
    }

    @Override
    public PlatformAdapter create(AccountSettings settings) {
        credentialNames().forEach(settings::credential);
        settings.sshPort(); // Refused now, not when the first machine runs.
        return new AwsAdapter(settings, new AwsClient(settings));
    }
}
