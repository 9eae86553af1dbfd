package dev.gpubroker.broker.webhook;

import dev.gpubroker.broker.http.ApiProblem;
import dev.gpubroker.broker.http.FieldError;
import dev.gpubroker.broker.http.Problem;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An endpoint as it is made or changed; what is absent stays as it is. */
record WebhookBody(
        @Nullable String url,
        @Nullable List<String> topics,
        @Nullable String description,
        @Nullable Boolean enabled) {

    /**
     * The address.
     *
     * @throws ApiProblem 400 if it is none
     */
    static URI address(String text) {
        try {
            return new URI(text);
        } catch (URISyntaxException e) {
            throw new ApiProblem(refused("it is not a URL", "不是有效的地址"));
        }
    }

    static Problem refused(String why, String whyZh) {
        return Problem.invalidField("url", "address", "cannot be called: " + why, "无法调用：" + whyZh);
    }

    /** @throws ApiProblem 400 naming those that do not exist */
    static List<String> known(List<String> topics) {
        List<FieldError> errors = new ArrayList<>();
        for (int i = 0; i < topics.size(); i++) {
            if (!Topics.KNOWN.contains(topics.get(i))) {
                String all = String.join(", ", Topics.KNOWN);
                errors.add(new FieldError("topics[" + i + "]", "unknown", "must be one of: " + all, "必须是以下之一：" + all));
            }
        }
        if (!errors.isEmpty()) {
            throw new ApiProblem(Problem.invalid(errors));
        }
        return topics.stream().distinct().sorted().toList();
    }
}
