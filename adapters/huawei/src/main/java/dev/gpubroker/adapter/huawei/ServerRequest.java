package dev.gpubroker.adapter.huawei;

import com.huaweicloud.sdk.ecs.v2.model.PostPaidServer;
import com.huaweicloud.sdk.ecs.v2.model.PostPaidServerDataVolume;
import com.huaweicloud.sdk.ecs.v2.model.PostPaidServerEip;
import com.huaweicloud.sdk.ecs.v2.model.PostPaidServerEipBandwidth;
import com.huaweicloud.sdk.ecs.v2.model.PostPaidServerExtendParam;
import com.huaweicloud.sdk.ecs.v2.model.PostPaidServerNic;
import com.huaweicloud.sdk.ecs.v2.model.PostPaidServerPublicip;
import com.huaweicloud.sdk.ecs.v2.model.PostPaidServerRootVolume;
import com.huaweicloud.sdk.ecs.v2.model.PostPaidServerSecurityGroup;
import com.huaweicloud.sdk.ecs.v2.model.PostPaidServerTag;
import dev.gpubroker.adapter.spi.AccountSettings;
import dev.gpubroker.adapter.spi.BootLimit;
import dev.gpubroker.adapter.spi.ClaimKey;
import dev.gpubroker.adapter.spi.ClaimRequest;
import dev.gpubroker.adapter.spi.MachineSpec;
import dev.gpubroker.adapter.spi.PlatformFault;
import dev.gpubroker.adapter.spi.Tags;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Makes the server order of a claim; the same claim always makes the same order, or its token would be refused. */
final class ServerRequest {
    /** A tag's value has 43 characters at most (SDK documentation of {@code server_tags}), a claim key up to 63. */
    private static final int LONGEST_TAG = 43;
    /** The platform adds {@code -0000} to the names of a batch; 64 in all. */
    private static final int LONGEST_NAME_OF_MANY = 59;

    /** 32 KB before Base64: ECS user guide, injecting user data (read November 2026). Held to by pools too, of which none is stated. */
    static final BootLimit BOOT_LIMIT = new BootLimit(32 * 1024, ServerRequest::bootSize);

    private static final String FIRST_PART = Tags.CLAIM + "-1";
    private static final String SECOND_PART = Tags.CLAIM + "-2";

    private final AccountSettings settings;

    ServerRequest(AccountSettings settings) {
        this.settings = settings;
    }

    /** @throws PlatformFault naming the option of the account that is missing */
    PostPaidServer of(ClaimRequest request) {
        String name = request.key().text();
        if (request.nodes() > 1 && name.length() > LONGEST_NAME_OF_MANY) {
            throw bad("a claim key of " + name.length() + " characters cannot name several servers");
        }
        MachineSpec machine = request.machine();
        PostPaidServer server = new PostPaidServer()
                .withName(name)
                .withFlavorRef(request.offer().sku())
                .withImageRef(image(machine))
                .withAvailabilityZone(request.offer().zone())
                .withCount(request.nodes())
                .withVpcid(needed("vpcId"))
                .withNics(List.of(new PostPaidServerNic().withSubnetId(needed("subnetId"))))
                .withRootVolume(new PostPaidServerRootVolume()
                        .withVolumetype(PostPaidServerRootVolume.VolumetypeEnum.fromValue(diskType(settings)))
                        .withSize(rootDiskGb(settings)))
                .withExtendparam(new PostPaidServerExtendParam()
                        .withChargingMode(0) // On demand.
                        .withRegionID(request.offer().region()))
                .withServerTags(tags(request));
        String keyName = settings.option("keyName", "");
        if (!keyName.isEmpty()) {
            server.setKeyName(keyName);
        }
        String group = settings.option("securityGroupId", "");
        if (!group.isEmpty()) {
            server.setSecurityGroups(List.of(new PostPaidServerSecurityGroup().withId(group)));
        }
        Instant end = request.timedEnd();
        if (end != null) {
            server.setAutoTerminateTime(minute(end));
        }
        if (machine.dataDiskGb() > 0) {
            server.setDataVolumes(List.of(new PostPaidServerDataVolume()
                    .withVolumetype(PostPaidServerDataVolume.VolumetypeEnum.fromValue(diskType(settings)))
                    .withSize(machine.dataDiskGb())
                    .withDeleteOnTermination(true)));
        }
        if (machine.publicIp()) {
            server.setPublicip(new PostPaidServerPublicip()
                    .withDeleteOnTermination(true)
                    .withEip(new PostPaidServerEip()
                            .withIptype("5_bgp")
                            .withBandwidth(new PostPaidServerEipBandwidth()
                                    .withSharetype(PostPaidServerEipBandwidth.SharetypeEnum.PER)
                                    .withChargemode("traffic")
                                    .withSize(100))));
        }
        BOOT_LIMIT.check(machine);
        String userData = userData(machine);
        if (userData != null) {
            server.setUserData(Base64.getEncoder().encodeToString(userData.getBytes(StandardCharsets.UTF_8)));
        }
        return server;
    }

    static String diskType(AccountSettings settings) {
        return settings.option("rootDiskType", "SSD");
    }

    static int rootDiskGb(AccountSettings settings) {
        return Integer.parseInt(settings.option("rootDiskGb", "100"));
    }

    /** The platform cuts seconds to 00; rounded up, so that no machine ends early. */
    static String minute(Instant end) {
        Instant cut = end.truncatedTo(ChronoUnit.MINUTES);
        return (cut.equals(end) ? end : cut.plus(Duration.ofMinutes(1))).toString();
    }

    private String image(MachineSpec machine) {
        if (machine.image() != null) {
            return machine.image();
        }
        if (!machine.frameworks().isEmpty()) {
            return needed("image." + machine.frameworks().get(0));
        }
        return needed("imageId");
    }

    private String needed(String option) {
        String value = settings.option(option, "");
        if (value.isBlank()) {
            throw bad("account " + settings.id() + " lacks the option '" + option
                    + "', without which no server can be ordered");
        }
        return value;
    }

    private static List<PostPaidServerTag> tags(ClaimRequest request) {
        List<PostPaidServerTag> tags = new ArrayList<>();
        tags.add(tag(Tags.INSTALLATION, request.installation()));
        String key = request.key().text();
        if (key.length() <= LONGEST_TAG) {
            tags.add(tag(Tags.CLAIM, key));
        } else {
            tags.add(tag(FIRST_PART, key.substring(0, LONGEST_TAG)));
            tags.add(tag(SECOND_PART, key.substring(LONGEST_TAG)));
        }
        return tags;
    }

    private static PostPaidServerTag tag(String key, String value) {
        return new PostPaidServerTag().withKey(key).withValue(value);
    }

    /**
     * @param tags as the server's detail shows them: {@code key=value}, or {@code key.value} as in the older tag field; which of the two
     *     the platform writes is unverified
     * @return the value, or null if there is no such tag
     */
    static @Nullable String tag(@Nullable List<String> tags, String key) {
        if (tags == null) {
            return null;
        }
        for (String tag : tags) {
            if (tag.startsWith(key + "=") || tag.startsWith(key + ".")) {
                return tag.substring(key.length() + 1);
            }
        }
        return null;
    }

    /** The claim key in the tags, or null. */
    static @Nullable ClaimKey key(@Nullable List<String> tags) {
        String whole = tag(tags, Tags.CLAIM);
        if (whole == null) {
            String first = tag(tags, FIRST_PART);
            String second = tag(tags, SECOND_PART);
            whole = first == null || second == null ? null : first + second;
        }
        try {
            return whole == null ? null : new ClaimKey(whole);
        } catch (IllegalArgumentException notOurs) {
            return null;
        }
    }

    /** Whether a server bears the key: in its tags, or, where those hold none, as its name, to which a batch adds a number. */
    static boolean bears(ClaimKey key, @Nullable String name, @Nullable List<String> tags) {
        ClaimKey tagged = key(tags);
        if (tagged != null || name == null) {
            return key.equals(tagged);
        }
        return name.equals(key.text()) || name.matches(key.text() + "-[0-9]{4}");
    }

    private static int bootSize(MachineSpec machine) {
        String text = userData(machine);
        return text == null ? 0 : text.getBytes(StandardCharsets.UTF_8).length;
    }

    /** Cloud-init: keys for the default user, and the script once at first boot. */
    private static @Nullable String userData(MachineSpec machine) {
        if (machine.sshKeys().isEmpty() && machine.startupScript() == null) {
            return null;
        }
        StringBuilder text = new StringBuilder("#cloud-config\n");
        if (!machine.sshKeys().isEmpty()) {
            text.append("ssh_authorized_keys:\n");
            machine.sshKeys()
                    .forEach(key -> text.append("  - '")
                            .append(key.strip().replace("'", "''"))
                            .append("'\n"));
        }
        String script = machine.startupScript();
        if (script != null) {
            text.append("write_files:\n")
                    .append("  - path: /var/lib/gpu-broker-startup\n")
                    .append("    permissions: '0700'\n")
                    .append("    encoding: b64\n")
                    .append("    content: ")
                    .append(Base64.getEncoder().encodeToString(script.getBytes(StandardCharsets.UTF_8)))
                    .append("\nruncmd:\n  - [/var/lib/gpu-broker-startup]\n");
        }
        return text.toString();
    }

    private static PlatformFault bad(String what) {
        return new PlatformFault(PlatformFault.Kind.BAD_REQUEST, what);
    }
}
