package dev.gpubroker.simulator.aliyun;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.gpubroker.simulator.SimReply;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/** Reply bodies as the platform writes them. */
final class AliyunReplies {
    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(JsonGenerator.Feature.WRITE_BIGDECIMAL_AS_PLAIN)
            .build();
    private static final Set<String> FORBIDDEN = Set.of(
            "Forbidden",
            "OperationDenied",
            "QuotaExceed",
            "IncorrectInstanceStatus",
            "ChargeTypeViolation",
            "InvalidOperation",
            "InvalidAccountStatus",
            "InsufficientBalance",
            "InvalidPayMethod",
            "LastTokenProcessing",
            "InvalidIdempotenceParameter",
            "Zone",
            "InstanceType",
            "RealNameAuthenticationError",
            "InstanceLockedForSecurity");

    private AliyunReplies() {}

    static ObjectNode object() {
        return JSON.createObjectNode();
    }

    static ArrayNode array() {
        return JSON.createArrayNode();
    }

    static SimReply ok(ObjectNode body) {
        return SimReply.json(200, write(body.put("RequestId", requestId())));
    }

    static Optional<SimReply> refused(int status, String code, String message) {
        return Optional.of(error(status, code, message));
    }

    static SimReply error(int status, String code, String message) {
        return SimReply.json(
                status,
                write(object().put("RequestId", requestId())
                        .put("HostId", "ecs.aliyuncs.com")
                        .put("Code", code)
                        .put("Message", message)
                        .put("Recommend", "https://api.aliyun.com/troubleshoot?q=" + code)));
    }

    /** One of the platform's codes with the status that goes with it. */
    static SimReply error(String code) {
        int dot = code.indexOf('.');
        String group = dot < 0 ? code : code.substring(0, dot);
        int status;
        if (code.startsWith("InternalError")) {
            status = 500;
        } else if (code.startsWith("ServiceUnavailable")) {
            status = 503;
        } else if (FORBIDDEN.contains(group)) {
            status = 403;
        } else if (code.toLowerCase(Locale.ROOT).endsWith(".notfound")) {
            status = 404;
        } else {
            status = 400;
        }
        return error(status, code, "A simulated refusal.");
    }

    /** Billing refuses with status 200. */
    static SimReply billingRefused(String code) {
        return SimReply.json(
                200,
                write(object().put("Code", code)
                        .put("Message", "A simulated refusal.")
                        .put("RequestId", requestId())
                        .put("Success", false)));
    }

    static SimReply missing(String parameter) {
        return error(
                400,
                "MissingParameter",
                "The input parameter \"" + parameter
                        + "\" that is mandatory for processing this request is not supplied.");
    }

    static String write(ObjectNode body) {
        try {
            return JSON.writeValueAsString(body);
        } catch (JsonProcessingException impossible) {
            throw new IllegalStateException("a tree can always be written", impossible);
        }
    }

    private static String requestId() {
        return UUID.randomUUID().toString().toUpperCase(Locale.ROOT);
    }
}
