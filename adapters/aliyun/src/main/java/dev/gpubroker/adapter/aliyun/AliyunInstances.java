package dev.gpubroker.adapter.aliyun;

import com.fasterxml.jackson.databind.JsonNode;
import dev.gpubroker.adapter.aliyun.AliyunClient.Patience;
import dev.gpubroker.adapter.aliyun.AliyunClient.Product;
import dev.gpubroker.adapter.spi.PlatformFault;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Lists machines completely or not at all. Two things look like "nothing there" and are not: a user without permission
 * gets an empty list instead of an error, and a list by tags stops at 1,000 (ECS API reference,
 * {@code DescribeInstances}).
 */
final class AliyunInstances {
    private static final String ACTION = "DescribeInstances";
    private static final int PAGE = 100;
    private static final int MOST_PAGES = 20;
    private static final int MOST_BY_TAG = 1000;

    private final AliyunClient client;

    AliyunInstances(AliyunClient client) {
        this.client = client;
    }

    /** @param ids at most 100 */
    List<JsonNode> byIds(String region, List<String> ids, Budget budget) {
        String array = ids.stream().map(id -> '"' + id + '"').collect(Collectors.joining(",", "[", "]"));
        return all(region, Map.of("InstanceIds", array), budget);
    }

    List<JsonNode> byTag(String region, String name, String value, Budget budget) {
        List<JsonNode> found = all(region, Map.of("Tag.1.Key", name, "Tag.1.Value", value), budget);
        if (found.size() >= MOST_BY_TAG) {
            throw new PlatformFault(
                    PlatformFault.Kind.PLATFORM_ERROR,
                    ACTION + ": the list may be cut, it is as long as a list by tag can be");
        }
        return found;
    }

    /** @throws PlatformFault unless the list is certainly complete */
    private List<JsonNode> all(String region, Map<String, String> filter, Budget budget) {
        Map<String, JsonNode> found = new LinkedHashMap<>();
        String next = "";
        for (int page = 0; page < MOST_PAGES; page++) {
            JsonNode reply = page(region, filter, next, budget);
            JsonNode list = reply.path("Instances").path("Instance");
            if (!list.isArray()) {
                throw new PlatformFault(PlatformFault.Kind.PLATFORM_ERROR, ACTION + ": a reply without a list");
            }
            list.forEach(instance -> found.put(AliyunMapping.id(instance), instance));
            next = reply.path("NextToken").asText("");
            if (next.isEmpty()) {
                if (found.isEmpty()) {
                    requirePermission(region, filter, budget);
                }
                return new ArrayList<>(found.values());
            }
        }
        throw new PlatformFault(PlatformFault.Kind.PLATFORM_ERROR, ACTION + ": more than " + MOST_PAGES + " pages");
    }

    private JsonNode page(String region, Map<String, String> filter, String next, Budget budget) {
        budget.requireLeft(ACTION);
        Map<String, String> query = query(region, filter);
        query.put("MaxResults", String.valueOf(PAGE));
        if (!next.isEmpty()) {
            query.put("NextToken", next);
        }
        Answer answer = client.call(Product.ECS, region, ACTION, query, Patience.QUERY);
        if (answer instanceof Answer.Body body) {
            return body.json();
        }
        throw AliyunErrors.fault(ACTION, answer);
    }

    /** The dry run never succeeds: a good and permitted one ends in an error code of its own. */
    private void requirePermission(String region, Map<String, String> filter, Budget budget) {
        budget.requireLeft(ACTION);
        Map<String, String> query = query(region, filter);
        query.put("DryRun", "true");
        Answer answer = client.call(Product.ECS, region, ACTION, query, Patience.QUERY);
        if (answer instanceof Answer.Refusal refusal && refusal.code().equals(AliyunErrors.DRY_RUN_PASSED)) {
            return;
        }
        throw AliyunErrors.fault(ACTION + " as a dry run", answer);
    }

    private static Map<String, String> query(String region, Map<String, String> filter) {
        Map<String, String> query = new LinkedHashMap<>(filter);
        query.put("RegionId", region);
        return query;
    }
}
