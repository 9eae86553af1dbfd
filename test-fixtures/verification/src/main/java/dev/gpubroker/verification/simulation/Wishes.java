package dev.gpubroker.verification.simulation;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.gpubroker.verification.lab.Api;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

/** What people book: bodies of {@code POST /v1/reservations}. */
final class Wishes {
    /** What each platform sells in the simulation, with numbers of GPUs that people ask for. */
    record Ware(String platform, String model, int perNode, List<Integer> counts) {}

    static final List<Ware> WARES = List.of(
            new Ware("aliyun", "A100-SXM4-80GB", 8, List.of(8, 8, 16)),
            new Ware("aliyun", "A100-SXM4-80GB", 8, List.of(8)),
            new Ware("aliyun", "H20", 4, List.of(4)),
            new Ware("aliyun", "L20", 1, List.of(1, 2)),
            new Ware("zhixingyun", "RTX4090", 8, List.of(8, 8, 16)),
            new Ware("zhixingyun", "RTX4090", 8, List.of(8)),
            new Ware("zhixingyun", "V100-SXM2-32GB", 2, List.of(2)),
            new Ware("zhixingyun", "RTX3080", 4, List.of(4)),
            new Ware("huawei", "V100-PCIE-32GB", 8, List.of(8, 16)),
            new Ware("huawei", "Ascend-910A", 8, List.of(8, 16)),
            new Ware("aws", "H100-SXM5-80GB", 8, List.of(8, 16)));

    private static final List<String> STAYS = List.of("PT2H", "PT6H", "PT12H", "P1D", "P2D", "P5D");

    private Wishes() {}

    static Ware ware(World world, Dice dice) {
        return dice.pick(WARES.stream()
                .filter(ware -> world.platforms.names().contains(ware.platform()))
                .toList());
    }

    static ObjectNode ofPlatforms(World world, Dice dice) {
        return of(ware(world, dice), start(world, dice), world, dice);
    }

    /** To be bought within the hour, or at once where future windows are sold. */
    static ObjectNode soonOn(String platform, World world, Dice dice) {
        Ware ware = dice.pick(
                WARES.stream().filter(each -> each.platform().equals(platform)).toList());
        ObjectNode body = of(ware, nextHour(world), world, dice);
        body.putObject("constraints").putArray("platforms").add(platform);
        return body;
    }

    static ObjectNode soonOnOwnNodes(World world) {
        ObjectNode body = wish("A100-SXM4-80GB", 8, nextHour(world), "PT2H", world);
        body.putObject("constraints").putArray("platforms").add("pool");
        return body;
    }

    private static ObjectNode of(Ware ware, Instant start, World world, Dice dice) {
        boolean sellsDays = ware.platform().equals("aws");
        ObjectNode body = wish(
                ware.model(),
                dice.pick(ware.counts()),
                start,
                sellsDays ? dice.pick("P1D", "P2D", "P5D") : dice.pick(STAYS),
                world);
        if (dice.chance(60)) {
            body.putObject("constraints").putArray("platforms").add(ware.platform());
        }
        ObjectNode substitution = Api.JSON.createObjectNode();
        switch (dice.between(1, 4)) {
            case 1 -> body.set("substitution", substitution.put("mode", "never"));
            case 2 -> {
                substitution.put("mode", "auto");
                substitution.putArray("models").add("RTX4090").add("H20").add("V100-SXM2-32GB");
                body.set("substitution", substitution);
            }
            default -> {
                // As the broker does it unasked.
            }
        }
        if (dice.chance(10)) {
            body.putObject("maxTotal")
                    .put("amount", dice.pick("500.00", "8000.00"))
                    .put("currency", "CNY");
        }
        if (dice.chance(15)) {
            body.put("onUnavailable", dice.pick("queue", "refuse"));
        }
        return body;
    }

    static ObjectNode ofOwnNodes(World world, Dice dice) {
        ObjectNode body = wish(
                dice.pick("A100-SXM4-80GB", "A100-SXM4-80GB", "RTX4090"),
                dice.pick(1, 2, 4, 8, 8, 16),
                start(world, dice),
                dice.pick(STAYS),
                world);
        body.putObject("constraints").putArray("platforms").add("pool");
        if (dice.chance(40)) {
            body.put("onUnavailable", "queue");
        }
        return body;
    }

    private static Instant nextHour(World world) {
        return world.now().truncatedTo(ChronoUnit.HOURS).plus(1, ChronoUnit.HOURS);
    }

    /** At the next hour, in some hours, or up to four weeks ahead. */
    private static Instant start(World world, Dice dice) {
        Instant now = world.now();
        return switch (dice.between(1, 4)) {
            case 1 -> nextHour(world);
            case 2 -> now.truncatedTo(ChronoUnit.HOURS).plus(Duration.ofHours(dice.between(1, 12)));
            case 3 -> now.truncatedTo(ChronoUnit.HOURS).plus(Duration.ofHours(dice.between(13, 96)));
            default -> now.truncatedTo(ChronoUnit.HOURS).plus(Duration.ofDays(dice.between(4, 28)));
        };
    }

    static ObjectNode wish(String model, int count, Instant start, String stay, World world) {
        ObjectNode body = Api.JSON.createObjectNode();
        body.putObject("gpu").put("model", model).put("count", count);
        return body.put("start", start.atZone(world.zone()).toOffsetDateTime().toString())
                .put("duration", stay)
                .put("timeZone", world.zone().getId());
    }
}
