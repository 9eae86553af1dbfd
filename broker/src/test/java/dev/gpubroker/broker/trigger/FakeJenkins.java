package dev.gpubroker.broker.trigger;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Vertx;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;

/** A Jenkins with one parametrised job in a folder. */
final class FakeJenkins extends FakeServer {
    private static final String JOB = "/job/team/job/nightly%20run";
    private static final String BASIC =
            "Basic " + Base64.getEncoder().encodeToString("ci:jk-token".getBytes(StandardCharsets.UTF_8));

    final List<Map<String, String>> started = new ArrayList<>();
    private final ArrayNode builds = JSON.createArrayNode();
    /** Whether callers without an API token need a crumb, as is usual. */
    boolean crumbs;

    /** Whether the job has a parameter for the run id; Jenkins drops what a job does not declare. */
    boolean declaresRun = true;

    FakeJenkins(Vertx vertx) {
        super(vertx);
    }

    @Override
    Reply answer(Asked asked) {
        return switch (asked.call()) {
            case "POST " + JOB + "/buildWithParameters" -> build(asked);
            case "GET " + JOB + "/api/json" -> job(asked);
            case "GET /crumbIssuer/api/json" ->
                new Reply(
                        200,
                        Map.of("Set-Cookie", "JSESSIONID.1a2b=node01; Path=/; HttpOnly"),
                        "{\"crumb\":\"c0ffee\",\"crumbRequestField\":\"Jenkins-Crumb\"}");
            default -> Reply.of(404, "Not Found");
        };
    }

    private Reply build(Asked asked) {
        must(asked.http().query() == null, 400, "a token in an address is in every log");
        Map<String, String> form = asked.form();
        boolean known = asked.header("Authorization").equals(BASIC);
        if (!known && crumbs) {
            must(
                    asked.header("Jenkins-Crumb").equals("c0ffee")
                            && asked.header("Cookie").equals("JSESSIONID.1a2b=node01"),
                    403,
                    "No valid crumb was included in the request");
        }
        must(known || "job-token".equals(form.get("token")), 403, "Access denied");
        started.add(form);
        ArrayNode parameters = builds.addObject()
                .put("url", url() + JOB + "/" + started.size() + "/")
                .putArray("actions")
                .addObject()
                .putArray("parameters");
        form.forEach((name, value) -> {
            if (declaresRun || !name.equals("GPU_RUN")) {
                parameters.addObject().put("name", name).put("value", value);
            }
        });
        return new Reply(201, Map.of("Location", url() + "/queue/item/" + started.size() + "/"), "");
    }

    private Reply job(Asked asked) {
        must(asked.header("Authorization").equals(BASIC), 403, "anonymous is missing the Job/Read permission");
        must(
                "property[parameterDefinitions[name]],builds[url,actions[parameters[name,value]]]{0,50},queueItem[url,actions[parameters[name,value]]]"
                        .equals(asked.http().getParam("tree")),
                400,
                "tree");
        ObjectNode job = JSON.createObjectNode();
        ArrayNode definitions = job.putArray("property").addObject().putArray("parameterDefinitions");
        definitions.addObject().put("name", declaresRun ? "GPU_RUN" : "config");
        job.set("builds", builds);
        return Reply.of(200, job.toString());
    }
}
