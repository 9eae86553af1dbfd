package dev.gpubroker.broker.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpServer;
import dev.gpubroker.broker.database.TestDatabase;
import dev.gpubroker.broker.identity.TestIssuer;
import dev.gpubroker.broker.scenario.CiTemplates.Step;
import dev.gpubroker.broker.scenario.RunningBroker.Answer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * The templates of {@code deploy/ci} as their CI systems run them, against a whole broker: the scripts are taken out of the
 * files, the environment is what each system documents, and OIDC tokens come from an issuer on this machine.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@SuppressWarnings("NullAway.Init") // Made before the first test.
class CiTemplatesScenarioTest {
    private static final Pattern MASK = Pattern.compile("(?m)^::add-mask::(\\S+)$");

    private Path folder;
    private TestDatabase database;
    private RunningBroker broker;
    private String url;
    private TestIssuer gitlab;
    private TestIssuer githubsOwn;
    private GitHubTokens github;
    private final List<JobCommand> jobs = new ArrayList<>();

    @BeforeAll
    void start(@TempDir Path temporary) throws Exception {
        JobCommand.mustBeThere();
        folder = temporary;
        database = TestDatabase.create();
        broker = new RunningBroker(database, Files.createDirectories(folder.resolve("data")));
        url = broker.forClients().get("GPU_BROKER_URL");
        gitlab = new TestIssuer(database.vertx());
        githubsOwn = new TestIssuer(database.vertx());
        github = new GitHubTokens(githubsOwn);
        Answer pool = broker.call("POST", "/v1/pools", """
                {"name":"lab","model":"A100-SXM4-80GB","gpusPerNode":8,"hosts":[{"name":"lab-1","address":"127.0.0.1"}]}""");
        assertThat(pool.status()).as("%s", pool.body()).isEqualTo(201);
        rule(githubsOwn, "\"kind\":\"github\",\"repositoryId\":\"74\",\"ownerId\":\"65\",\"ref\":\"refs/heads/main\"");
        rule(
                gitlab,
                "\"kind\":\"gitlab\",\"repositoryId\":\"20\",\"ownerId\":\"72\",\"ref\":\"main\",\"refType\":\"branch\"");
    }

    private void rule(TestIssuer issuer, String which) {
        ruleOf("lab", issuer, which);
    }

    private void ruleOf(String pool, TestIssuer issuer, String which) {
        Answer made = broker.call("POST", "/v1/trust-rules", """
                {"team":"default","issuer":"%s","audience":"%s",%s,"grants":[{"scope":"lease"}],"pools":["%s"]}""".formatted(issuer.url(), url, which, pool));
        assertThat(made.status()).as("%s", made.body()).isEqualTo(201);
    }

    @AfterAll
    void stop() {
        if (broker != null) {
            github.close();
            githubsOwn.close();
            gitlab.close();
            broker.close();
            database.close();
        }
    }

    @AfterEach
    void endJobs() {
        jobs.forEach(JobCommand::kill);
        github.changed = Map.of();
    }

    // ---- what a runner does

    private JobCommand begun(JobCommand job) {
        jobs.add(job);
        return job;
    }

    private Map<String, String> githubEnvironment(String name) throws IOException {
        Map<String, String> environment = new HashMap<>(github.variables());
        Path place = Files.createDirectories(folder.resolve(name));
        environment.put("GITHUB_ACTIONS", "true");
        environment.put("GITHUB_REPOSITORY", "octo-org/octo-repo");
        environment.put("GITHUB_RUN_ID", "1234");
        environment.put(
                "GITHUB_ACTION_PATH", CiTemplates.FOLDER.resolve("github").toString());
        environment.put(
                "GITHUB_OUTPUT",
                Files.writeString(place.resolve("output.txt"), "").toString());
        environment.put("RUNNER_ENVIRONMENT", "self-hosted");
        return environment;
    }

    /** GitHub writes the script to a file and runs it with {@code bash --noprofile --norc -eo pipefail}. */
    private JobCommand onGitHub(String name, Map<String, String> with, Map<String, String> more) throws IOException {
        Map<String, String> all = new HashMap<>(Map.of("broker-url", url, "gpus", "2", "pool", "lab"));
        all.putAll(with);
        Step step = CiTemplates.github(all);
        Map<String, String> environment = githubEnvironment(name);
        environment.putAll(step.environment());
        environment.putAll(more);
        Path script = Files.writeString(folder.resolve(name).resolve("step.sh"), step.script());
        return begun(JobCommand.ofCi(
                folder.resolve(name),
                environment,
                List.of("bash", "--noprofile", "--norc", "-e", "-o", "pipefail", script.toString())));
    }

    /** GitLab's runner gives the script to a shell. */
    private JobCommand onGitLab(String name, String job, Map<String, String> variables) throws IOException {
        Step step = CiTemplates.gitlab(job);
        Map<String, String> environment = new HashMap<>(Map.of(
                "GITLAB_CI",
                "true",
                "CI_JOB_ID",
                "302",
                "CI_PROJECT_PATH",
                "my-group/my-project",
                "GPU_BROKER_URL",
                url));
        environment.putAll(step.environment());
        environment.putAll(variables);
        Path script =
                Files.writeString(Files.createDirectories(folder.resolve(name)).resolve("script.sh"), step.script());
        return begun(JobCommand.ofCi(
                folder.resolve(name), environment, List.of("bash", "-eo", "pipefail", script.toString())));
    }

    private String gitlabToken() {
        Map<String, Object> claims = gitlab.gitlab(Instant.now());
        claims.put("aud", url);
        return TestIssuer.sign(claims);
    }

    private boolean nothingIsLeased() {
        return broker.get("/v1/leases?state=held,stale,queued").get("items").isEmpty();
    }

    private boolean isHeld() {
        return !broker.get("/v1/leases?state=held").get("items").isEmpty();
    }

    /** Secrets that GitHub was told to hide. */
    private static List<String> masked(JobCommand job) {
        List<String> secrets = new ArrayList<>();
        Matcher mask = MASK.matcher(job.said());
        while (mask.find()) {
            secrets.add(mask.group(1));
        }
        return secrets;
    }

    private static String withoutMasks(JobCommand job) {
        return MASK.matcher(job.printed() + job.said()).replaceAll("");
    }

    // ---- GitHub

    @Test
    void gitHubsActionNeedsNoSecretAndTellsTheStepsThatFollow() throws Exception {
        JobCommand job = onGitHub(
                "github",
                Map.of(
                        "run",
                        "echo on $CUDA_VISIBLE_DEVICES\nenv | grep '^GPU_BROKER_TOKEN=\\|=gbk[_]\\|^ACTIONS_ID_TOKEN' || echo no secret\nexit 4\n"),
                Map.of());

        assertThat(job.code()).as(job.said()).isEqualTo(4);
        assertThat(job.printed()).contains("on 0,1\n", "no secret\n");
        Map<String, String> outputs = CiTemplates.githubOutputs(folder.resolve("github/output.txt"));
        assertThat(outputs).containsEntry("hosts", "lab-1").containsEntry("outcome", "ended");
        JsonNode lease = broker.get("/v1/leases/" + outputs.get("lease"));
        assertThat(lease.get("state").asText()).isEqualTo("released");
        assertThat(lease.get("title").asText()).isEqualTo("octo-org/octo-repo 1234");
        assertThat(masked(job)).hasSize(2).contains(github.given.get(github.given.size() - 1));
        String ticket = masked(job).get(1);
        assertThat(ticket).startsWith("gbk_");
        assertThat(withoutMasks(job)).doesNotContain("gbk_", "eyJ", GitHubTokens.REQUEST_TOKEN);
        assertThat(broker.callAs(ticket, "GET", "/v1/leases", null).status()).isEqualTo(401);
    }

    @Test
    void aRunOfGitHubThatIsCancelledGivesItsGpusBack() throws Exception {
        JobCommand job = onGitHub(
                "cancelled", Map.of("run", "trap 'echo saved; exit 0' INT; echo begun; sleep 600 & wait"), Map.of());
        job.until("it runs", () -> job.printed().contains("begun") && isHeld());

        job.signal("INT");

        assertThat(job.code()).as(job.said()).isZero();
        assertThat(job.printed()).contains("saved");
        assertThat(nothingIsLeased()).isTrue();
        assertThat(CiTemplates.githubOutputs(folder.resolve("cancelled/output.txt")))
                .containsEntry("outcome", "ended");
    }

    @Test
    void anotherBranchHasNoAccessAndIsToldWhy() throws Exception {
        github.changed = Map.of("ref", "refs/heads/try-it");
        JobCommand job = onGitHub("branch", Map.of("run", "echo ran"), Map.of());

        assertThat(job.code()).as(job.said()).isEqualTo(77);
        assertThat(job.said()).contains("no trust rule", "It has ref = \"refs/heads/try-it\".");
        assertThat(job.printed()).isEmpty();
    }

    @Test
    void anotherAudienceIsToldInWords() throws Exception {
        JobCommand job =
                onGitHub("audience", Map.of("run", "echo ran", "audience", "https://other.example.com"), Map.of());

        assertThat(job.code()).as(job.said()).isEqualTo(77);
        assertThat(job.said()).contains("It is for \"https://other.example.com\".", "GPU_BROKER_AUDIENCE");
    }

    @Test
    void aJobWithoutThePermissionIsToldWhichOneItNeeds() throws Exception {
        JobCommand job = onGitHub(
                "permission",
                Map.of("run", "echo ran"),
                Map.of("ACTIONS_ID_TOKEN_REQUEST_URL", "", "ACTIONS_ID_TOKEN_REQUEST_TOKEN", ""));

        assertThat(job.code()).as(job.said()).isEqualTo(77);
        assertThat(job.said()).contains("permissions: {id-token: write}");
    }

    @Test
    void aTicketIsRenewedAndReplacedWhileTheJobGoesOn() throws Exception {
        String quick = Files.readString(JobCommand.FILE).replace("RENEW_EVERY = 180", "RENEW_EVERY = 1");
        assertThat(quick).contains("RENEW_EVERY = 1\n");
        Path command = Files.writeString(folder.resolve("quick"), quick);
        Map<String, String> environment = githubEnvironment("renewed");
        environment.put("GPU_BROKER_URL", url);
        int before = github.given.size();
        database.execute("DELETE FROM ticket"); // Of jobs that were killed.
        JobCommand job = begun(JobCommand.ofCi(
                folder.resolve("renewed"),
                environment,
                List.of(
                        "python3",
                        command.toString(),
                        "lease",
                        "--pool",
                        "lab",
                        "--gpus",
                        "1",
                        "--ttl",
                        "10s",
                        "--",
                        "sh",
                        "-c",
                        "while [ ! -e done ]; do sleep 0.2; done")));
        job.until("it runs", this::isHeld);

        database.execute("UPDATE ticket SET expires_at = clock_timestamp() + interval '20 s'");
        job.until("it is renewed", this::isRenewed);
        assertThat(github.given).hasSize(before + 1);
        database.execute("DELETE FROM ticket");
        job.until("there is another", () -> github.given.size() > before + 1);
        job.write("done");

        assertThat(job.code()).as(job.said()).isZero();
        assertThat(nothingIsLeased()).isTrue();
    }

    /** Whether no ticket ends within the next minute. */
    private boolean isRenewed() {
        try {
            database.execute("""
                    DO $$ BEGIN
                        ASSERT NOT EXISTS (SELECT FROM ticket WHERE expires_at < clock_timestamp() + interval '1 min');
                    END $$""");
            return true;
        } catch (IllegalStateException notYet) {
            return false;
        }
    }

    // ---- GitLab

    @Test
    void gitLabsJobRunsWithItsIdToken() throws Exception {
        assertThat(CiTemplates.gitlabJob(".gpu-broker-lease").get("id_tokens").toString())
                .isEqualTo("{GPU_BROKER_ID_TOKEN={aud=$GPU_BROKER_URL}}");
        String token = gitlabToken();
        Map<String, String> variables = Map.of(
                "GPU_BROKER_ID_TOKEN", token,
                "GPU_LEASE_POOL", "lab",
                "GPU_LEASE_GPUS", "2",
                "GPU_LEASE_OUTPUTS", "gpu.env",
                "GPU_LEASE_RUN", "echo trained on $GPU_BROKER_GPUS; echo ${GPU_BROKER_ID_TOKEN:-no secret}");
        JobCommand job = onGitLab("gitlab", ".gpu-broker-lease", variables);

        assertThat(job.code()).as(job.said()).isZero();
        assertThat(job.printed()).isEqualTo("trained on 0,1\nno secret\n");
        assertThat(job.said()).contains("a ticket of team default").doesNotContain("gbk_", token, "add-mask");
        assertThat(folder.resolve("gitlab/gpu.env"))
                .content()
                .contains("GPU_BROKER_HOSTS=lab-1\n", "GPU_BROKER_OUTCOME=ended\n");
        assertThat(nothingIsLeased()).isTrue();

        JobCommand again = onGitLab("gitlab-again", ".gpu-broker-lease", variables);
        assertThat(again.code()).as(again.said()).isEqualTo(77);
        assertThat(again.said()).contains("exchanged before", "two names under id_tokens");
    }

    @Test
    void aJobOfGitLabThatIsCancelledGivesItsGpusBackAndOneThatWaitsLeavesTheLine() throws Exception {
        JobCommand holds = onGitLab(
                "holds",
                ".gpu-broker-lease",
                Map.of(
                        "GPU_BROKER_ID_TOKEN",
                        gitlabToken(),
                        "GPU_LEASE_POOL",
                        "lab",
                        "GPU_LEASE_GPUS",
                        "8",
                        "GPU_LEASE_RUN",
                        "echo begun; sleep 600"));
        holds.until("it runs", () -> holds.printed().contains("begun"));
        JobCommand waits = onGitLab(
                "waits",
                ".gpu-broker-lease",
                Map.of(
                        "GPU_BROKER_ID_TOKEN",
                        gitlabToken(),
                        "GPU_LEASE_POOL",
                        "lab",
                        "GPU_LEASE_GPUS",
                        "8",
                        "GPU_LEASE_RUN",
                        "echo begun"));
        waits.until("it waits", () -> waits.said().contains("place 1 in line"));

        waits.signal("TERM");
        assertThat(waits.code()).as(waits.said()).isEqualTo(143);
        holds.signal("TERM");
        assertThat(holds.code()).as(holds.said()).isEqualTo(143);

        assertThat(waits.printed()).isEmpty();
        assertThat(nothingIsLeased()).isTrue();
    }

    @SuppressWarnings("unchecked")
    private JobCommand onGitLab(
            String component, String name, Map<String, ?> inputs, Map<String, String> project, Map<String, String> more)
            throws IOException {
        Map<String, Object> jobs = CiTemplates.component(component, inputs);
        assertThat(jobs).containsOnlyKeys(name);
        Map<String, Object> job = (Map<String, Object>) jobs.get(name);
        assertThat(job.get("id_tokens").toString()).contains("_ID_TOKEN={aud=" + url + "}");
        Step step = CiTemplates.componentJob(job, project);
        Map<String, String> environment = new HashMap<>(Map.of("GITLAB_CI", "true", "CI_JOB_ID", "302"));
        environment.putAll(step.environment());
        environment.putAll(more);
        Path script =
                Files.writeString(Files.createDirectories(folder.resolve(name)).resolve("script.sh"), step.script());
        return begun(JobCommand.ofCi(
                folder.resolve(name), environment, List.of("bash", "-eo", "pipefail", script.toString())));
    }

    @Test
    void gitLabsComponentRunsItsLinesOnTheLeasedHostWhateverStandsInThem() throws Exception {
        Map<String, Object> inputs = Map.of(
                "broker-url",
                url,
                "job-name",
                "train it",
                "pool",
                "lab",
                "gpus",
                2,
                "run",
                List.of("echo \"on $CUDA_VISIBLE_DEVICES\": 'a # b' {c} $GREETING", "exit 4 # \\ and no more"),
                "env",
                List.of("GREETING=good day, $HOME"),
                "artifacts",
                List.of("model/*", "*.log"),
                "rules",
                List.of(Map.of("if", "$CI_COMMIT_BRANCH == \"main\"")));
        JobCommand job = onGitLab(
                "lease",
                "train it",
                inputs,
                Map.of("HOME", "of the project", "CUDA_VISIBLE_DEVICES", "of the project"),
                Map.of("GPU_BROKER_ID_TOKEN", gitlabToken()));

        assertThat(job.code()).as(job.said()).isEqualTo(4);
        assertThat(job.printed()).isEqualTo("on 0,1: a # b {c} good day, $HOME\n");
        assertThat(job.said()).contains("a ticket of team default");
        assertThat(folder.resolve("train it/gpu-broker.env")).content().contains("GPU_BROKER_OUTCOME=ended\n");
        assertThat(nothingIsLeased()).isTrue();
        assertThat(CiTemplates.component("lease", inputs).toString())
                .contains(
                        "rules=[{if=$CI_COMMIT_BRANCH == \"main\"}]",
                        "paths=[model/*, *.log]",
                        "dotenv=gpu-broker.env");
    }

    @Test
    void gitLabsComponentTakesAKeyByTheNameOfItsVariable() {
        Map<String, Object> inputs =
                Map.of("broker-url", url, "pool", "lab", "gpus", 1, "run", List.of("true"), "ssh-key", "$LAB_SSH_KEY");

        @SuppressWarnings("unchecked")
        Step step = CiTemplates.componentJob(
                (Map<String, Object>) CiTemplates.component("lease", inputs).get("gpu-lease"),
                Map.of("LAB_SSH_KEY", "-----BEGIN"));

        assertThat(step.environment()).containsEntry("GPU_LEASE_SSH_KEY", "-----BEGIN");
    }

    @Test
    void gitLabsComponentRefusesWhatWouldEndItsQuotes() {
        Map<String, Object> inputs =
                new HashMap<>(Map.of("broker-url", url, "pool", "lab", "gpus", 1, "run", List.of("true")));
        for (Map.Entry<String, Object> wrong : List.<Map.Entry<String, Object>>of(
                Map.entry("pool", "lab\"\nscript: [evil]"),
                Map.entry("pool", "lab\\"),
                Map.entry("job-name", "a\": {}"),
                Map.entry("broker-url", "https://x\""),
                Map.entry("broker-url", "ftp://x"),
                Map.entry("ssh-key", "-----BEGIN"),
                Map.entry("gpus", "8"),
                Map.entry("run", "true"))) {
            Map<String, Object> changed = new HashMap<>(inputs);
            changed.put(wrong.getKey(), wrong.getValue());
            assertThatThrownBy(() -> CiTemplates.component("lease", changed))
                    .as("%s", wrong)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("`" + wrong.getKey() + "`");
        }
        inputs.remove("run");
        assertThatThrownBy(() -> CiTemplates.component("lease", inputs)).hasMessageContaining("`run`");
    }

    @Test
    void gitLabsOtherComponentIsTheDoctor() throws Exception {
        JobCommand job = onGitLab(
                "doctor",
                "gpu-doctor",
                Map.of("broker-url", url, "max-wait", "1h", "max-duration", "90m"),
                Map.of(),
                Map.of(
                        "GPU_BROKER_DOCTOR_ID_TOKEN", gitlabToken(),
                        "CI_JOB_TIMEOUT", "10800",
                        "CI_JOB_STARTED_AT", Instant.now().toString()));

        assertThat(job.code()).as(job.printed() + job.said()).isZero();
        assertThat(lines(job).get("access")).startsWith("ok").contains("team default, may lease");
        assertThat(lines(job).get("time limit")).startsWith("ok").contains("2 h 30 min together");
    }

    // ---- Jenkins, and any other

    /** Jenkins writes the script to a file, and runs it as its first line says. */
    @Test
    void theStepOfJenkinsRunsWithATokenOfTheBroker() throws Exception {
        Step step = CiTemplates.jenkins();
        assertThat(step.environment())
                .containsKeys("url", "gpus", "model", "pool", "reservation", "run", "maxWait", "maxDuration");
        Map<String, String> environment = new HashMap<>(Map.of(
                "JENKINS_URL",
                "https://ci.example.com/",
                "GPU_BROKER_TOKEN",
                broker.forClients().get("GPU_BROKER_TOKEN")));
        Map.of("url", url, "gpus", "1", "pool", "lab", "run", "echo $GPU_BROKER_NODES host; exit 3", "maxWait", "1m")
                .forEach((field, value) -> environment.put(step.environment().get(field), value));
        Path script = Files.writeString(
                Files.createDirectories(folder.resolve("jenkins")).resolve("script.sh"), step.script());
        JobCommand job =
                begun(JobCommand.ofCi(folder.resolve("jenkins"), environment, List.of("/bin/sh", script.toString())));

        assertThat(job.code()).as(job.said()).isEqualTo(3);
        assertThat(job.printed()).isEqualTo("1 host\n");
        assertThat(nothingIsLeased()).isTrue();
    }

    /** The plugin OpenID Connect Provider signs a token for each build; the step binds it where the command looks for one. */
    @Test
    void theStepOfJenkinsRunsWithATokenThatJenkinsSigned() throws Exception {
        assertThat(CiTemplates.text("jenkins/vars/gpuBrokerLease.groovy"))
                .contains("string(credentialsId: wish.oidcCredentialsId, variable: 'GPU_BROKER_OIDC_TOKEN')");
        rule(gitlab, "\"kind\":\"generic\",\"claims\":{\"sub\":\"https://jenkins.example.com/job/train/\"}");
        Map<String, Object> claims = gitlab.jenkins(Instant.now(), 7);
        claims.put("aud", List.of(url));
        Path script = Files.writeString(
                Files.createDirectories(folder.resolve("jenkins-oidc")).resolve("script.sh"),
                CiTemplates.jenkins().script());
        JobCommand job = begun(JobCommand.ofCi(
                folder.resolve("jenkins-oidc"),
                Map.of(
                        "GPU_BROKER_URL", url,
                        "GPU_BROKER_OIDC_TOKEN", TestIssuer.sign(claims),
                        "GPU_LEASE_POOL", "lab",
                        "GPU_LEASE_GPUS", "1",
                        "GPU_LEASE_RUN", "echo ${GPU_BROKER_OIDC_TOKEN:-no secret}"),
                List.of("/bin/sh", script.toString())));

        assertThat(job.code()).as(job.said()).isZero();
        assertThat(job.printed()).isEqualTo("no secret\n");
        assertThat(job.said()).contains("a ticket of team default");
        assertThat(nothingIsLeased()).isTrue();
    }

    private String ticketOfJob(String name, String pool) {
        String job = "https://jenkins.example.com/job/" + name + "/";
        ruleOf(pool, gitlab, "\"kind\":\"generic\",\"claims\":{\"sub\":\"" + job + "\"}");
        Map<String, Object> claims = gitlab.jenkins(Instant.now(), 7);
        claims.put("aud", List.of(url));
        claims.put("sub", job);
        Answer made = broker.call("POST", "/v1/tickets", "{\"token\":\"" + TestIssuer.sign(claims) + "\"}");
        assertThat(made.status()).as("%s", made.body()).isEqualTo(201);
        return made.body().get("ticket").asText();
    }

    @Test
    void aJobWhoseRuleNamesPoolsNeitherSeesNorEndsLeasesOfOthers() {
        Answer pool = broker.call(
                "POST", "/v1/pools", "{\"name\":\"annex\",\"model\":\"A100-SXM4-80GB\",\"gpusPerNode\":8,\"nodes\":1}");
        assertThat(pool.status()).as("%s", pool.body()).isEqualTo(201);
        String ofLab = ticketOfJob("of-lab", "lab");
        String ofAnnex = ticketOfJob("of-annex", "annex");
        Answer made = broker.callAs(
                ofLab, "POST", "/v1/leases", "{\"pool\":\"lab\",\"gpus\":1}", "Idempotency-Key", "of-lab");
        assertThat(made.status()).as("%s", made.body()).isEqualTo(201);
        String lease = "/v1/leases/" + made.body().get("id").asText();

        assertThat(broker.callAs(ofAnnex, "GET", "/v1/leases", null).body().get("items"))
                .isEmpty();
        assertThat(broker.callAs(ofAnnex, "GET", lease, null).status()).isEqualTo(404);
        assertThat(broker.callAs(ofAnnex, "POST", lease + "/heartbeat", null).status())
                .isEqualTo(404);
        assertThat(broker.callAs(ofAnnex, "DELETE", lease, null).status()).isEqualTo(404);
        assertThat(broker.callAs(ofLab, "GET", "/v1/leases?state=held", null)
                        .body()
                        .get("items"))
                .hasSize(1);
        assertThat(broker.callAs(ofLab, "POST", lease + "/heartbeat", null).status())
                .isEqualTo(200);
        assertThat(broker.callAs(ofLab, "DELETE", lease, null).status()).isEqualTo(200);
    }

    @Test
    void anyOtherSystemGivesAnOidcTokenOrATokenAndWords() {
        JobCommand job = begun(JobCommand.ofCi(
                folder.resolve("generic"),
                Map.of(
                        "GPU_BROKER_URL",
                        url,
                        "GPU_BROKER_OIDC_TOKEN",
                        gitlabToken(),
                        "GPU_LEASE_POOL",
                        "lab",
                        "GPU_LEASE_GPUS",
                        "1"),
                List.of("sh", CiTemplates.FOLDER.resolve("generic.sh").toString(), "echo", "two words", "--gpus")));

        assertThat(job.code()).as(job.said()).isZero();
        assertThat(job.printed()).isEqualTo("two words --gpus\n");
    }

    @Test
    void anOptionThatIsGivenAsAWordGoesBeforeItsVariable() {
        Map<String, String> environment = new HashMap<>(broker.forClients());
        environment.putAll(
                Map.of("GPU_LEASE_MODEL", "H100", "GPU_LEASE_GPUS", "64", "GPU_LEASE_ENV", "A=1\n\nB=two words\n"));
        JobCommand job = begun(JobCommand.ofCi(
                folder.resolve("words"),
                environment,
                List.of(
                        "python3",
                        JobCommand.FILE.toString(),
                        "lease",
                        "--pool",
                        "lab",
                        "--gpus=1",
                        "--",
                        "sh",
                        "-c",
                        "echo $A, $B")));

        assertThat(job.code()).as(job.said()).isZero();
        assertThat(job.printed()).isEqualTo("1, two words\n");
    }

    @Test
    void allTemplatesRunTheSameScript() {
        String script = CiTemplates.text("lib/gpu-broker.sh");
        String withoutItsFirstLine = script.substring(script.indexOf('\n') + 1);
        assertThat(CiTemplates.text("jenkins/resources/gpu-broker.sh")).isEqualTo(script);
        assertThat(CiTemplates.gitlab(".gpu-broker-lease").script()).isEqualTo(withoutItsFirstLine);
        assertThat(CiTemplates.gitlab(".gpu-broker-doctor").script()).isEqualTo(withoutItsFirstLine);
        String indented = withoutItsFirstLine
                .lines()
                .map(line -> line.isEmpty() ? "" : "      " + line)
                .collect(Collectors.joining("\n"));
        assertThat(CiTemplates.text("gitlab/templates/lease.yml")).contains("    - |\n" + indented + "\n");
        assertThat(CiTemplates.text("gitlab/templates/doctor.yml")).contains("    - |\n" + indented + "\n");
    }

    @Test
    void nothingIsRunThatComesFromAnotherAddress() throws Exception {
        HttpServer other = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        other.createContext("/moved/cli/gpu-broker", exchange -> {
            exchange.getResponseHeaders().set("Location", url + "/cli/gpu-broker");
            exchange.sendResponseHeaders(302, -1);
            exchange.close();
        });
        byte[] page = "<html>Log in first</html>".getBytes(StandardCharsets.UTF_8);
        other.createContext("/portal/cli/gpu-broker", exchange -> {
            exchange.sendResponseHeaders(200, page.length);
            exchange.getResponseBody().write(page);
            exchange.close();
        });
        other.start();
        try {
            String address = "http://127.0.0.1:" + other.getAddress().getPort();
            JobCommand moved = from(address + "/moved", "moved");
            assertThat(moved.code()).as(moved.said()).isEqualTo(69);
            assertThat(moved.said()).contains("says that it is at " + url);
            JobCommand portal = from(address + "/portal", "portal");
            assertThat(portal.code()).as(portal.said()).isEqualTo(69);
            assertThat(portal.said()).contains("is not the command of a gpu-broker");
            JobCommand file = from("file:///tmp", "file");
            assertThat(file.code()).as(file.said()).isEqualTo(64);
        } finally {
            other.stop(0);
        }
    }

    private JobCommand from(String address, String name) {
        Map<String, String> environment = new HashMap<>(broker.forClients());
        environment.put("GPU_BROKER_URL", address);
        return begun(JobCommand.ofCi(
                folder.resolve(name),
                environment,
                List.of(
                        "sh",
                        CiTemplates.FOLDER.resolve("lib/gpu-broker.sh").toString(),
                        "lease",
                        "--gpus",
                        "1",
                        "--pool",
                        "lab",
                        "--",
                        "true")));
    }

    // ---- doctor

    private static Map<String, String> lines(JobCommand job) {
        Map<String, String> states = new HashMap<>();
        job.printed().lines().forEach(line -> states.put(line.substring(6, 16).strip(), line));
        return states;
    }

    @Test
    void theDoctorSaysThatAJobOfGitLabHasAllItNeedsAndIsLongEnough() throws Exception {
        JobCommand job = onGitLab(
                "doctor",
                ".gpu-broker-doctor",
                Map.of(
                        "GPU_BROKER_DOCTOR_ID_TOKEN", gitlabToken(),
                        "GPU_LEASE_MAX_WAIT", "1h",
                        "GPU_LEASE_MAX_DURATION", "90m",
                        "CI_JOB_TIMEOUT", "10800",
                        "CI_JOB_STARTED_AT", Instant.now().toString()));

        assertThat(job.code()).as(job.printed() + job.said()).isZero();
        Map<String, String> lines = lines(job);
        assertThat(lines.keySet())
                .contains("broker", "version", "clock", "oidc", "access", "ticket", "ssh", "tar", "time limit");
        assertThat(lines.get("version")).startsWith("ok").contains("this command is the one that it serves");
        assertThat(lines.get("clock")).startsWith("ok");
        assertThat(lines.get("oidc")).contains("project_id \"20\"", "namespace_id \"72\"", "ref \"main\"");
        assertThat(lines.get("access")).startsWith("ok").contains("ticket", "team default, may lease, pools lab only");
        assertThat(lines.get("time limit")).startsWith("ok").contains("2 h 30 min together", "3 h more");
        assertThat(job.printed()).doesNotContain("gbk_", "eyJ");
    }

    @Test
    void theDoctorSaysThatGitLabWouldEndTheJobTooSoon() throws Exception {
        JobCommand job = onGitLab(
                "doctor-short",
                ".gpu-broker-doctor",
                Map.of(
                        "GPU_BROKER_DOCTOR_ID_TOKEN", gitlabToken(),
                        "GPU_LEASE_MAX_WAIT", "1h",
                        "GPU_LEASE_MAX_DURATION", "90m",
                        "CI_JOB_TIMEOUT", "3600",
                        "CI_JOB_STARTED_AT", "2026-01-01T00:00:00Z"));

        assertThat(job.code()).as(job.printed() + job.said()).isEqualTo(78);
        assertThat(lines(job).get("time limit")).startsWith("fail").contains("GitLab ends this job in 0 min");
    }

    @Test
    void theDoctorOfGitHubLeasesForAMomentAndSaysWhatCannotBeKnown() throws Exception {
        Map<String, String> environment = githubEnvironment("doctor-github");
        environment.put("GPU_BROKER_URL", url);
        JobCommand job = begun(JobCommand.ofCi(
                folder.resolve("doctor-github"),
                environment,
                List.of(
                        "python3",
                        JobCommand.FILE.toString(),
                        "doctor",
                        "--ci",
                        "--lease",
                        "--json",
                        "--pool",
                        "lab",
                        "--gpus",
                        "1",
                        "--max-wait",
                        "1h",
                        "--max-duration",
                        "1h")));

        assertThat(job.code()).as(job.printed() + job.said()).isZero();
        assertThat(job.printed())
                .contains("\"check\": \"lease\", \"state\": \"ok\", \"text\": \"lab-1 GPU 0: a command ran there\"")
                .contains(
                        "\"check\": \"time limit\", \"state\": \"note\"",
                        "timeout-minutes (360 unless set), which has to be 125");
        assertThat(nothingIsLeased()).isTrue();
    }

    @Test
    void theDoctorTellsAnAudienceThatDiffersATokenThatMayNotLeaseAndABrokerThatIsNotThere() throws Exception {
        JobCommand audience = onGitHub(
                "doctor-audience", Map.of("check-only", "true", "audience", "https://other.example.com"), Map.of());
        assertThat(audience.code()).as(audience.printed() + audience.said()).isEqualTo(78);
        assertThat(lines(audience).get("access"))
                .startsWith("fail")
                .contains("It is for \"https://other.example.com\".");
        assertThat(lines(audience).get("oidc")).contains("repository_id \"74\"");

        String reader = broker.call(
                        "POST", "/v1/tokens", "{\"name\":\"looks\",\"team\":\"default\",\"scopes\":[\"read\"]}")
                .body()
                .get("secret")
                .asText();
        JobCommand reads = doctor("doctor-reads", Map.of("GPU_BROKER_URL", url, "GPU_BROKER_TOKEN", reader));
        assertThat(reads.code()).as(reads.printed()).isEqualTo(78);
        assertThat(lines(reads).get("access"))
                .startsWith("fail")
                .contains("token looks of team default, may read: not lease");

        JobCommand away =
                doctor("doctor-away", Map.of("GPU_BROKER_URL", "http://127.0.0.1:9", "GPU_BROKER_TOKEN", reader));
        assertThat(away.code()).as(away.printed()).isEqualTo(78);
        assertThat(lines(away).get("broker")).startsWith("fail").contains("nothing listens there");
        assertThat(lines(away)).doesNotContainKey("access").containsKey("ssh");
    }

    @Test
    void theDoctorNamesWordsThatWouldEndTheJobWhileItHoldsGpus() {
        Map<String, String> environment = new HashMap<>(broker.forClients());
        environment.putAll(Map.of("GPU_LEASE_POOL", "nope", "GPU_LEASE_IDENTITY", "/nope"));
        JobCommand wrong = doctor("doctor-words", environment);
        assertThat(wrong.code()).as(wrong.printed()).isEqualTo(78);
        assertThat(lines(wrong).get("pool")).startsWith("fail").contains("no pool");
        assertThat(lines(wrong).get("options")).startsWith("fail").contains("/nope");

        environment.remove("GPU_LEASE_IDENTITY");
        environment.putAll(Map.of("GPU_LEASE_POOL", "lab", "GPU_LEASE_GPUS", "9"));
        JobCommand tooMany = doctor("doctor-many", environment);
        assertThat(tooMany.code()).as(tooMany.printed()).isEqualTo(78);
        assertThat(lines(tooMany).get("pool")).startsWith("fail").contains("lab has 8 GPUs, and 9 are asked for");
        environment.put("GPU_LEASE_GPUS", "8");
        JobCommand right = doctor("doctor-right", environment);
        assertThat(right.code()).as(right.printed()).isZero();
        assertThat(lines(right).get("pool")).startsWith("ok");
    }

    private JobCommand doctor(String name, Map<String, String> environment) {
        return begun(JobCommand.ofCi(
                folder.resolve(name), environment, List.of("python3", JobCommand.FILE.toString(), "doctor", "--ci")));
    }
}
