package dev.gpubroker.simulator.zhixingyun;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gpubroker.simulator.SimEnvironment;
import dev.gpubroker.simulator.SimInstance;
import dev.gpubroker.simulator.SimStore;
import dev.gpubroker.simulator.SimulatorServer;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ZhixingyunSimulatorTest {
    private static final Instant WALL = Instant.parse("2026-11-30T10:00:00Z");
    private static final String DETAIL = "instance/get_instance_detail";

    private final SimStore store = SimStore.inMemory();
    private final HttpClient http = HttpClient.newHttpClient();
    private final Vertx vertx = Vertx.vertx();
    private volatile Instant now = Instant.parse("2026-11-01T02:00:00Z");
    private SimulatorServer server;

    @BeforeEach
    void start() throws Exception {
        ZhixingyunSimulator simulator = new ZhixingyunSimulator(new SimEnvironment(store, () -> now, () -> WALL));
        server = SimulatorServer.start(vertx, simulator)
                .toCompletionStage()
                .toCompletableFuture()
                .get(20, TimeUnit.SECONDS);
    }

    @AfterEach
    void stop() {
        vertx.close();
    }

    // ---- the gate ---------------------------------------------------------------------------------------------

    @Test
    void aFormSignedWithAnotherSecretIsRefused() {
        Map<String, String> form = signed(Map.of(), WALL, nonce(), "another");

        assertThat(post("store/get_kvm_available_selector", form).getString("message"))
                .isEqualTo("sign验证失败");
    }

    @Test
    void aFormThatWasChangedAfterSigningIsRefused() {
        Map<String, String> form = signed(order(1), WALL, nonce(), ZhixingyunSimulatorFactory.SECRET_KEY);
        form.put("gpu_num", "4");

        assertThat(post("store/create_kvm_instance", form).getString("code")).isEqualTo("4000");
        assertThat(server.platform().nodesTaken()).isZero();
    }

    @Test
    void anOldTimestampIsRefused() {
        Map<String, String> form =
                signed(Map.of(), WALL.minus(Duration.ofMinutes(16)), nonce(), ZhixingyunSimulatorFactory.SECRET_KEY);

        assertThat(post("store/get_kvm_available_selector", form).getBoolean("success"))
                .isFalse();
    }

    @Test
    void aNonceServesOnce() {
        Map<String, String> form = signed(Map.of(), WALL, nonce(), ZhixingyunSimulatorFactory.SECRET_KEY);

        assertThat(post("store/get_kvm_available_selector", form).getString("code"))
                .isEqualTo("2000");
        assertThat(post("store/get_kvm_available_selector", form).getString("message"))
                .isEqualTo("nonce重复");
    }

    @Test
    void anUnknownAccessKeyIsRefused() {
        Map<String, String> form = signed(Map.of(), WALL, nonce(), ZhixingyunSimulatorFactory.SECRET_KEY);
        form.put("apikey", "nobody");

        assertThat(post("store/get_kvm_available_selector", form).getString("message"))
                .isEqualTo("accesskey不存在");
    }

    // ---- stock -------------------------------------------------------------------------------------------------

    @Test
    void atFirstThereAreEightMachinesOfEightRtx4090AndNoOtherRtx4090OrA100() {
        JsonObject models = call("store/get_kvm_available_selector", Map.of())
                .getJsonObject("data")
                .getJsonObject("gpu_resource_map");

        assertThat(rentable(models, "GeForce RTX 4090")).isEqualTo(Map.of("8", true));
        assertThat(rentable(models, "A100-SXM4-80GB")).isEmpty();
        assertThat(rentable(models, "A100-SXM4-40GB")).isEmpty();
        for (int n = 1; n <= 8; n++) {
            assertThat(call("store/create_kvm_instance", order(8)).getString("code"))
                    .isEqualTo("2000");
        }
        assertThat(call("store/create_kvm_instance", order(8)).getString("message"))
                .isEqualTo("资源不足");
    }

    @Test
    void aMachineGoesBackIntoStockOnceWhenItIsGivenBack() {
        server.platform().setStock("RTX4090", 8, 1);
        String name = created();
        assertThat(isRentable()).isFalse();
        now = now.plusSeconds(120);
        call("instance/stop_instance_with_refund", Map.of("instance_name", name, "release_disk", "1"));
        assertThat(isRentable()).isFalse();
        now = now.plusSeconds(60);

        assertThat(isRentable()).isTrue();
        assertThat(machine(name).releasedAt()).isEqualTo(now.minusSeconds(40));
        now = now.plus(Duration.ofDays(30));
        created();
        assertThat(isRentable()).isFalse();
    }

    @Test
    void aMachineEndsAtTheVeryEndOfItsPackAndGoesBackIntoStock() {
        server.platform().setStock("RTX4090", 8, 1);
        Instant bought = now;
        String name = created();
        now = now.plus(Duration.ofDays(9));

        assertThat(isRentable()).isTrue();
        assertThat(machine(name).releasedAt()).isEqualTo(bought.plus(Duration.ofHours(2)));
        assertThat(machine(name).state()).isEqualTo("0");
    }

    @Test
    void aMachineThatIsStillStartingCannotBeStopped() {
        String name = created();

        assertThat(call("instance/stop_instance_with_refund", Map.of("instance_name", name))
                        .getString("message"))
                .isEqualTo("该状态不能退租");
    }

    @Test
    void stoppingTwicePaysBackOnce() {
        String before = money();
        String name = created();
        now = now.plusSeconds(120);
        for (int n = 0; n < 2; n++) {
            call("instance/stop_instance_with_refund", Map.of("instance_name", name, "release_disk", "1"));
        }

        JsonObject account = call("account/get_main_account_info", Map.of()).getJsonObject("data");
        assertThat(account.getValue("PowerMoney")).hasToString("15.84");
        assertThat(new java.math.BigDecimal(before)
                        .subtract(new java.math.BigDecimal(String.valueOf(account.getValue("Money")))))
                .isEqualByComparingTo("31.68");
    }

    // ---- orders --------------------------------------------------------------------------------------------------

    @Test
    void anOrderWithoutARequiredFieldOrWithAWrongOneIsRefused() {
        for (String field : order(8).keySet()) {
            if (!field.equals("ext_uid")) {
                Map<String, String> without = order(8);
                without.remove(field);
                assertThat(call("store/create_kvm_instance", without).getString("code"))
                        .as(field)
                        .isEqualTo("4000");
            }
        }
        Map<String, String> threeCards = order(3);
        assertThat(call("store/create_kvm_instance", threeCards).getString("code"))
                .isEqualTo("4000");
        assertThat(server.platform().nodesTaken()).isZero();
    }

    @Test
    void theKeyIsReadFromExtUid() {
        SimInstance machine = machine(created());

        assertThat(machine.key()).isEqualTo("gb-claim-key-1");
        assertThat(machine.tags())
                .isEqualTo(Map.of("gpu-broker-installation", "inst0001", "gpu-broker-claim", "gb-claim-key-1"));
    }

    @Test
    void pagesBeyondAHundredAreRefused() {
        assertThat(call("instance/get_instance_list", Map.of("page_size", "101"))
                        .getString("message"))
                .isEqualTo("page_size参数超限");
    }

    // ---- kill and restart ------------------------------------------------------------------------------------------

    @Test
    void everythingAnsweredSurvivesARestart() throws Exception {
        server.platform().setStock("RTX4090", 8, 1);
        String name = created();
        String money = money();

        start(); // On the same store.

        assertThat(isRentable()).isFalse();
        assertThat(money()).isEqualTo(money);
        now = now.plusSeconds(120);
        assertThat(call(DETAIL, Map.of("instance_name", name))
                        .getJsonObject("data")
                        .getInteger("Status"))
                .isEqualTo(1);
        assertThat(machine(name).key()).isEqualTo("gb-claim-key-1");
    }

    // ---- steps
    // -------------------------------------------------------------------------------------------------------

    private String created() {
        JsonObject answer = call("store/create_kvm_instance", order(8));
        assertThat(answer.getString("code")).isEqualTo("2000");
        return answer.getJsonObject("data").getString("Container_name");
    }

    private SimInstance machine(String name) {
        return server.platform().instances().stream()
                .filter(machine -> machine.id().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private boolean isRentable() {
        JsonObject models = call("store/get_kvm_available_selector", Map.of())
                .getJsonObject("data")
                .getJsonObject("gpu_resource_map");
        return rentable(models, "GeForce RTX 4090").containsKey("8");
    }

    private String money() {
        return String.valueOf(call("account/get_main_account_info", Map.of())
                .getJsonObject("data")
                .getValue("Money"));
    }

    private static Map<String, Boolean> rentable(JsonObject models, String gpuType) {
        return models.getJsonObject(gpuType).getJsonObject("ValidCardsRentable").stream()
                .filter(entry -> Boolean.TRUE.equals(entry.getValue()))
                .collect(Collectors.toMap(Map.Entry::getKey, entry -> true));
    }

    private static Map<String, String> order(int cards) {
        Map<String, String> order = new LinkedHashMap<>();
        order.put("gpu_type", "GeForce RTX 4090");
        order.put("gpu_num", String.valueOf(cards));
        order.put("spec_name", "gcs.g8.base");
        order.put("image_name", "ubuntu22_cuda12.4");
        order.put("pack_time", "2");
        order.put("unit", "hour");
        order.put("pay_type_first", "power");
        order.put("autorenew_on", "false");
        order.put("autorenew_unit", "hour");
        order.put("add_disk_size", "0");
        order.put("bandwidth", "32");
        order.put("due_mode", "-1");
        order.put("ext_uid", "inst0001.gb-claim-key-1");
        return order;
    }

    private JsonObject call(String operation, Map<String, String> fields) {
        return post(operation, signed(fields, WALL, nonce(), ZhixingyunSimulatorFactory.SECRET_KEY));
    }

    private static Map<String, String> signed(Map<String, String> fields, Instant at, String nonce, String secret) {
        Map<String, String> form = new LinkedHashMap<>(fields);
        form.put("apikey", ZhixingyunSimulatorFactory.ACCESS_KEY);
        form.put("timestamp", String.valueOf(at.getEpochSecond()));
        form.put("nonce", nonce);
        form.put("sign", FormSignature.of(form, secret));
        return form;
    }

    private static String nonce() {
        return UUID.randomUUID().toString();
    }

    private JsonObject post(String operation, Map<String, String> form) {
        String body = form.entrySet().stream()
                .map(field -> field.getKey() + "=" + URLEncoder.encode(field.getValue(), StandardCharsets.UTF_8))
                .collect(Collectors.joining("&"));
        HttpRequest request = HttpRequest.newBuilder(server.url().resolve("/openapi/v2/" + operation))
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
        try {
            HttpResponse<String> response = http.send(request, HttpResponse.BodyHandlers.ofString());
            assertThat(response.statusCode()).isEqualTo(200);
            return new JsonObject(response.body());
        } catch (java.io.IOException | InterruptedException broken) {
            throw new IllegalStateException(broken);
        }
    }
}
