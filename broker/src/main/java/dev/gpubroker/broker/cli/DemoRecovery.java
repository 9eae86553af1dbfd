package dev.gpubroker.broker.cli;

import com.fasterxml.jackson.databind.JsonNode;
import dev.gpubroker.client.ApiException;
import dev.gpubroker.client.model.Reservation;
import dev.gpubroker.client.model.State;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.List;

/** The demo after the broker was killed and started again: what it held is given back on time. */
final class DemoRecovery {
    private static final Duration LATER = Duration.ofMinutes(40);
    /** Giving back begins at the end; the platform needs its time to do it. */
    private static final Duration ON_TIME = Duration.ofMinutes(30);

    private static final int DATE = "2026-12-20".length();

    private final DemoStage stage;

    DemoRecovery(DemoStage stage) {
        this.stage = stage;
    }

    void play() throws ApiException {
        stage.run("list", "--state", "active");
        Reservation held = stage.newest();
        stage.mustBe(held.getId(), State.ACTIVE);
        String end = held.getRequest().getEnd();
        stage.clockAfter(end, LATER);
        stage.run("show", held.getId(), "--events");
        stage.showStates(held.getId());
        stage.mustBe(held.getId(), State.COMPLETED);

        List<JsonNode> machines = stage.instances("aliyun");
        JsonNode last = machines.get(0);
        for (JsonNode machine : machines) {
            if (machine.path("createdAt")
                            .asText()
                            .compareTo(last.path("createdAt").asText())
                    > 0) {
                last = machine;
            }
        }
        String zone = stage.zone().getId();
        String releasedAt = last.path("releasedAt").asText();
        boolean onTime = last.hasNonNull("releasedAt")
                && !OffsetDateTime.parse(releasedAt)
                        .isAfter(OffsetDateTime.parse(end).plus(ON_TIME));
        stage.check(
                onTime,
                "its machine " + last.path("id").asText() + ": releasedAt " + Times.shown(releasedAt, zone)
                        + ", booked until " + Times.shown(end),
                "机器 " + last.path("id").asText() + " 释放于 " + Times.shown(releasedAt, zone) + "，预订至 "
                        + Times.shown(end));

        stage.scene("At the end", "最后");
        stage.run("list");
        stage.run("calendar", "--from", stage.firstDay(), "--to", end.substring(0, DATE));
        stage.run("status");
        stage.run("sim", "instances");
        stage.check(stage.left() == 0, "no machine is left on any platform", "所有平台都没有剩余机器");
    }
}
