package dev.gpubroker.simulator.aliyun;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.gpubroker.simulator.SimReply;
import dev.gpubroker.simulator.SimRequest;
import dev.gpubroker.simulator.SimSku;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.Base64;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** The checks that {@code RunInstances} makes before it looks at the stock, in the platform's words. */
final class AliyunOrder {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration SOONEST_RELEASE = Duration.ofMinutes(30);
    private static final Duration LATEST_RELEASE = Duration.ofDays(3 * 365L);
    private static final int MOST_USER_DATA = 32 * 1024;

    private AliyunOrder() {}

    static Optional<SimReply> refuse(SimRequest request, Optional<SimSku> sku, Instant now) {
        for (String name : new String[] {"RegionId", "InstanceType", "ImageId", "SecurityGroupId", "VSwitchId"}) {
            if (request.param(name).isEmpty()) {
                return Optional.of(AliyunReplies.missing(name));
            }
        }
        if (sku.isEmpty()) {
            return AliyunReplies.refused(
                    400, "InvalidInstanceType.ValueNotSupported", "The specified InstanceType is not supported.");
        }
        if (!request.query().getOrDefault("InstanceChargeType", "PostPaid").equals("PostPaid")) {
            return AliyunReplies.refused(
                    404, "InvalidInstanceChargeType.NotFound", "The InstanceChargeType does not exist in our records");
        }
        if (!request.param("SecurityGroupId").equals(AliyunSimulator.SECURITY_GROUP)) {
            return AliyunReplies.refused(
                    400,
                    "InvalidSecurityGroupId.NotFound",
                    "The SecurityGroupId provided does not exist in our records.");
        }
        int amount = AliyunSimulator.number(request, "Amount", 1);
        int least = AliyunSimulator.number(request, "MinAmount", amount);
        if (amount < 1 || amount > 100 || least < 1 || least > amount) {
            return AliyunReplies.refused(403, "InvalidParam.Amount", "The specified amount is not valid.");
        }
        return refuseZone(request, AliyunSkus.zone(sku.get()))
                .or(() -> refuseUserData(request.param("UserData")))
                .or(() -> refuseReleaseTime(request, now));
    }

    private static Optional<SimReply> refuseZone(SimRequest request, String sold) {
        String subnet = request.param("VSwitchId");
        String zone = subnet.equals(AliyunSimulator.vSwitch(AliyunSkus.ZONE_J))
                ? AliyunSkus.ZONE_J
                : subnet.equals(AliyunSimulator.vSwitch(AliyunSkus.ZONE_K)) ? AliyunSkus.ZONE_K : "";
        if (zone.isEmpty()) {
            return AliyunReplies.refused(404, "InvalidVSwitchId.NotFound", "Specified virtual switch does not exist.");
        }
        if (!request.param("ZoneId").isEmpty() && !request.param("ZoneId").equals(zone)) {
            return AliyunReplies.refused(
                    400, "InvalidParameter.Mismatch", "Specified virtual switch is not in the specified zone.");
        }
        return zone.equals(sold)
                ? Optional.empty()
                : AliyunReplies.refused(403, "Zone.NotOnSale", "The specified zone is not on sale for this type.");
    }

    private static Optional<SimReply> refuseUserData(String base64) {
        try {
            return Base64.getDecoder().decode(base64).length > MOST_USER_DATA
                    ? AliyunReplies.refused(
                            400, "InvalidUserData.SizeExceeded", "The specified parameter UserData exceeds the size.")
                    : Optional.empty();
        } catch (IllegalArgumentException notBase64) {
            return AliyunReplies.refused(
                    400,
                    "InvalidUserData.Base64FormatInvalid",
                    "The specified parameter UserData must be base64 encoded.");
        }
    }

    static Optional<SimReply> refuseReleaseTime(SimRequest request, Instant now) {
        Optional<Instant> end;
        try {
            end = releaseTime(request);
        } catch (DateTimeParseException unreadable) {
            return malformedReleaseTime();
        }
        boolean wrong = end.isPresent()
                && (end.get().isBefore(now.plus(SOONEST_RELEASE)) || end.get().isAfter(now.plus(LATEST_RELEASE)));
        return wrong ? malformedReleaseTime() : Optional.empty();
    }

    private static Optional<SimReply> malformedReleaseTime() {
        return AliyunReplies.refused(
                400, "InvalidAutoReleaseTime.Malformed", "The specified paramter autoReleaseTime is not valid.");
    }

    /** Seconds are cut to the minute. */
    static Optional<Instant> releaseTime(SimRequest request) {
        String text = request.param("AutoReleaseTime");
        return text.isEmpty()
                ? Optional.empty()
                : Optional.of(Instant.parse(text).truncatedTo(ChronoUnit.MINUTES));
    }

    /** Reads {@code ["i-1","i-2"]}; what is no such list holds no ids. */
    static Set<String> jsonIds(String text) {
        Set<String> ids = new TreeSet<>();
        try {
            JSON.readTree(text.isEmpty() ? "[]" : text).forEach(id -> ids.add(id.asText()));
        } catch (JsonProcessingException unreadable) {
            return Set.of();
        }
        return ids;
    }
}
