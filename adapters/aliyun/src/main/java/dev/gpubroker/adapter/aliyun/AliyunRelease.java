package dev.gpubroker.adapter.aliyun;

import com.fasterxml.jackson.databind.JsonNode;
import dev.gpubroker.adapter.aliyun.AliyunClient.Patience;
import dev.gpubroker.adapter.aliyun.AliyunClient.Product;
import dev.gpubroker.adapter.spi.PlatformFault;
import dev.gpubroker.adapter.spi.PlatformRef;
import dev.gpubroker.adapter.spi.ReleaseProgress;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Gives machines back. Deleting comes first and looking second: a look that fails never keeps a machine alive. Disks go
 * with their machine since they were bought so, and so does a public address that came with it; elastic addresses are
 * never made here.
 */
final class AliyunRelease {
    private static final String ACTION = "DeleteInstances";
    private static final int MOST_AT_ONCE = 100;

    private final AliyunClient client;
    private final AliyunInstances instances;
    private final InstantSource businessTime;

    AliyunRelease(AliyunClient client, AliyunInstances instances, InstantSource businessTime) {
        this.client = client;
        this.instances = instances;
        this.businessTime = businessTime;
    }

    /** Repeating it does no harm. */
    ReleaseProgress of(PlatformRef ref, Budget budget) {
        ReleaseProgress worst = new ReleaseProgress.Gone();
        for (List<String> ids : portions(ref.ids(), MOST_AT_ONCE)) {
            worst = worse(worst, portion(ref.region(), ids, budget));
        }
        return worst;
    }

    private ReleaseProgress portion(String region, List<String> ids, Budget budget) {
        Answer answer = delete(region, ids, budget);
        if (answer instanceof Answer.Body) {
            return seenGone(region, ids, budget, false);
        }
        Answer.Refusal refusal = definite(answer);
        if (isNotFound(refusal)) {
            return ids.size() == 1 ? seenGone(region, ids, budget, true) : oneByOne(region, ids, budget);
        }
        // One machine that cannot go yet must not keep the others alive.
        return ids.size() == 1
                ? AliyunErrors.releaseRefused(refusal, businessTime.instant())
                : oneByOne(region, ids, budget);
    }

    /** The whole portion was refused because of some of its machines: asks for each that is still there. */
    private ReleaseProgress oneByOne(String region, List<String> ids, Budget budget) {
        List<String> left = new ArrayList<>();
        boolean mayLook = true;
        try {
            instances.byIds(region, ids, budget).forEach(instance -> left.add(AliyunMapping.id(instance)));
        } catch (PlatformFault cannotLook) {
            mayLook = cannotLook.kind() != PlatformFault.Kind.BAD_CREDENTIALS;
            left.clear();
            left.addAll(ids); // Then all are asked for: to one that is gone the platform says "not found".
        }
        ReleaseProgress worst = left.isEmpty() || !mayLook
                ? new ReleaseProgress.Gone()
                : new ReleaseProgress.InProgress(left.size() + " of " + ids.size() + " not seen gone");
        int asked = 0;
        for (String id : left) {
            if (!budget.isLeft()) {
                return worse(worst, new ReleaseProgress.InProgress(asked + " of " + left.size() + " asked for"));
            }
            Answer answer = delete(region, List.of(id), budget);
            asked++;
            if (answer instanceof Answer.Body) {
                worst = worse(worst, new ReleaseProgress.InProgress("asked for"));
                continue;
            }
            Answer.Refusal refusal = definite(answer);
            if (!isNotFound(refusal)) {
                worst = worse(worst, AliyunErrors.releaseRefused(refusal, businessTime.instant()));
            }
        }
        return worst;
    }

    private Answer delete(String region, List<String> ids, Budget budget) {
        budget.requireLeft(ACTION);
        Map<String, String> query = new LinkedHashMap<>();
        query.put("RegionId", region);
        query.put("Force", "true"); // Running machines are refused without it.
        for (int n = 0; n < ids.size(); n++) {
            query.put("InstanceId." + (n + 1), ids.get(n));
        }
        return client.call(Product.ECS, region, ACTION, query, Patience.CLAIM);
    }

    /**
     * Gone is what the platform no longer lists. A machine just bought may not be known everywhere yet, so "not found" alone
     * does not do, unless looking is not permitted.
     */
    private ReleaseProgress seenGone(String region, List<String> ids, Budget budget, boolean notFound) {
        try {
            List<JsonNode> left = instances.byIds(region, ids, budget);
            return left.isEmpty()
                    ? new ReleaseProgress.Gone()
                    : new ReleaseProgress.InProgress(left.size() + " of " + ids.size() + " still listed");
        } catch (PlatformFault fault) {
            return notFound && fault.kind() == PlatformFault.Kind.BAD_CREDENTIALS
                    ? new ReleaseProgress.Gone()
                    : new ReleaseProgress.InProgress("deleted; not seen gone: " + fault.getMessage());
        }
    }

    /** @throws PlatformFault for anything that says nothing of the machines */
    private static Answer.Refusal definite(Answer answer) {
        if (answer instanceof Answer.Refusal refusal && AliyunErrors.isDefinite(refusal)) {
            return refusal;
        }
        throw AliyunErrors.fault(ACTION, answer);
    }

    private static boolean isNotFound(Answer.Refusal refusal) {
        return refusal.code().equals(AliyunErrors.INSTANCE_NOT_FOUND);
    }

    /** Refused before in progress before gone; of two refusals the one that may be tried later. */
    private static ReleaseProgress worse(ReleaseProgress one, ReleaseProgress other) {
        if (one instanceof ReleaseProgress.Refused a && other instanceof ReleaseProgress.Refused b) {
            return a.retryAt().isBefore(b.retryAt()) ? b : a;
        }
        if (one instanceof ReleaseProgress.Refused || other instanceof ReleaseProgress.Gone) {
            return one;
        }
        return other;
    }

    static List<List<String>> portions(List<String> ids, int size) {
        List<List<String>> portions = new ArrayList<>();
        for (int from = 0; from < ids.size(); from += size) {
            portions.add(ids.subList(from, Math.min(ids.size(), from + size)));
        }
        return portions;
    }
}
