package dev.gpubroker.adapter.aliyun;

import com.fasterxml.jackson.databind.JsonNode;
import dev.gpubroker.adapter.spi.Ask;
import dev.gpubroker.adapter.spi.ClaimKey;
import dev.gpubroker.adapter.spi.ClaimStatus;
import dev.gpubroker.adapter.spi.Holding;
import dev.gpubroker.adapter.spi.Money;
import dev.gpubroker.adapter.spi.Offer;
import dev.gpubroker.adapter.spi.Offers;
import dev.gpubroker.adapter.spi.PlatformFault;
import dev.gpubroker.adapter.spi.PlatformRef;
import dev.gpubroker.adapter.spi.Reason;
import dev.gpubroker.adapter.spi.Shape;
import dev.gpubroker.adapter.spi.Stock;
import dev.gpubroker.adapter.spi.Tags;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Currency;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** From the platform's words to ours; pure. */
final class AliyunMapping {
    static final String KIND = "instance";

    private AliyunMapping() {}

    // ---- stock ---------------------------------------------------------------------------------

    /** What one zone says of one instance type. */
    private record Cell(String zone, String category, String status) {
        /** @return null where there is none */
        @Nullable
        Stock stock() {
            return switch (category) {
                case "WithStock" -> Stock.plenty();
                case "ClosedWithStock" -> Stock.scarce();
                case "WithoutStock", "ClosedWithoutStock" -> null;
                // A word we do not know: the coarser status decides, and nothing is promised.
                default -> status.equals("Available") ? Stock.scarce() : null;
            };
        }

        boolean isUnderstood() {
            return !category.isEmpty() || status.equals("SoldOut") || status.equals("Available");
        }

        String text() {
            return zone + " " + (category.isEmpty() ? status : category);
        }
    }

    /**
     * Reads {@code DescribeAvailableResource} of one region, asked for pay-as-you-go.
     *
     * @param options leave out zones in which the account has no subnet
     */
    static Offers offers(JsonNode reply, List<Ask> asks, String region, AliyunOptions options) {
        if (!reply.path("AvailableZones").isObject()) {
            throw new PlatformFault(
                    PlatformFault.Kind.PLATFORM_ERROR, "DescribeAvailableResource: a reply without zones");
        }
        Map<String, List<Cell>> cells = cells(reply);
        List<Offer> available = new ArrayList<>();
        List<Offers.Missing> missing = new ArrayList<>();
        Set<Shape> shapes = new LinkedHashSet<>();
        asks.forEach(ask -> shapes.addAll(AliyunCatalogue.of(ask.flavor())));
        for (Shape shape : shapes) {
            List<Offer> found = new ArrayList<>();
            List<String> without = new ArrayList<>();
            boolean onlySubnetMissing = false;
            List<Cell> zones = cells.getOrDefault(shape.sku(), List.of());
            for (Cell cell : zones) {
                Stock stock = cell.stock();
                if (stock == null) {
                    without.add(cell.text());
                } else if (options.namesSubnets() && options.vSwitchId(cell.zone()) == null) {
                    onlySubnetMissing = true;
                    without.add(cell.text() + ", no option vSwitchId." + cell.zone());
                } else {
                    found.add(Offer.now(shape.sku(), shape.flavor(), region, cell.zone(), stock));
                }
            }
            if (found.isEmpty()) {
                Reason reason = zones.isEmpty()
                        ? Reason.NOT_OFFERED
                        : onlySubnetMissing
                                ? Reason.NOT_ELIGIBLE
                                : zones.stream().allMatch(Cell::isUnderstood) ? Reason.SOLD_OUT : Reason.STOCK_UNKNOWN;
                String detail = zones.isEmpty() ? "not listed in " + region : String.join("; ", without);
                missing.add(new Offers.Missing(shape.sku(), shape.flavor(), region, reason, detail, null));
            }
            found.sort(Comparator.comparing(offer -> offer.stock().level()));
            available.addAll(found);
        }
        return new Offers(available, missing);
    }

    private static Map<String, List<Cell>> cells(JsonNode reply) {
        Map<String, List<Cell>> cells = new HashMap<>();
        for (JsonNode zone : reply.path("AvailableZones").path("AvailableZone")) {
            for (JsonNode kind : zone.path("AvailableResources").path("AvailableResource")) {
                if (kind.path("Type").asText("").equals("InstanceType")) {
                    for (JsonNode type : kind.path("SupportedResources").path("SupportedResource")) {
                        cells.computeIfAbsent(type.path("Value").asText(""), sku -> new ArrayList<>())
                                .add(new Cell(
                                        zone.path("ZoneId").asText(""),
                                        type.path("StatusCategory").asText(""),
                                        type.path("Status").asText("")));
                    }
                }
            }
        }
        return cells;
    }

    // ---- machines ------------------------------------------------------------------------------

    static String id(JsonNode instance) {
        return instance.path("InstanceId").asText("");
    }

    /**
     * Status of all machines of a reference.
     *
     * @param ids the machines asked for; those that are not in {@code listed} are gone
     */
    static ClaimStatus status(List<String> ids, List<JsonNode> listed, String loginUser, int sshPort) {
        Map<String, JsonNode> byId = new LinkedHashMap<>();
        listed.forEach(instance -> byId.put(id(instance), instance));
        List<ClaimStatus.Machine> machines = new ArrayList<>();
        Map<String, Integer> words = new TreeMap<>();
        for (String id : ids) {
            JsonNode instance = byId.get(id);
            words.merge(instance == null ? "gone" : word(instance), 1, Integer::sum);
            machines.add(new ClaimStatus.Machine(
                    id,
                    instance == null ? ClaimStatus.Phase.GONE : phase(instance),
                    instance == null ? null : endpoint(instance, loginUser, sshPort),
                    null));
        }
        String detail = String.join(
                ", ",
                words.entrySet().stream()
                        .map(word -> ids.size() == 1 ? word.getKey() : word.getValue() + " " + word.getKey())
                        .toList());
        return new ClaimStatus(leastAdvanced(machines), null, machines, detail);
    }

    private static ClaimStatus.Phase leastAdvanced(List<ClaimStatus.Machine> machines) {
        if (machines.stream().anyMatch(machine -> machine.phase() == ClaimStatus.Phase.UNKNOWN)) {
            return ClaimStatus.Phase.UNKNOWN;
        }
        return machines.stream()
                .map(ClaimStatus.Machine::phase)
                .min(Comparator.naturalOrder())
                .orElse(ClaimStatus.Phase.GONE);
    }

    static ClaimStatus.Phase phase(JsonNode instance) {
        return switch (instance.path("Status").asText("")) {
            case "Pending", "Starting" -> ClaimStatus.Phase.STARTING;
            case "Running" -> ClaimStatus.Phase.RUNNING;
            case "Stopping" -> ClaimStatus.Phase.ENDING;
            // Between creation and first start a machine may show as stopped; a StartTime tells the two apart
            // (unverified).
            case "Stopped" ->
                instance.path("StartTime").asText("").isEmpty() ? ClaimStatus.Phase.STARTING : ClaimStatus.Phase.ENDING;
            default -> ClaimStatus.Phase.UNKNOWN;
        };
    }

    /** The platform's own state, with what holds the machine fast: arrears, security, recycling. */
    private static String word(JsonNode instance) {
        List<String> locks = new ArrayList<>();
        for (JsonNode lock : instance.path("OperationLocks").path("LockReason")) {
            locks.add(lock.path("LockReason").asText(""));
        }
        String status = instance.path("Status").asText("no status");
        return locks.isEmpty() ? status : status + " (locked: " + String.join(", ", locks) + ")";
    }

    /** The public address, else an elastic one, else the private one; null while there is none. */
    private static ClaimStatus.@Nullable Endpoint endpoint(JsonNode instance, String loginUser, int sshPort) {
        List<JsonNode> candidates = List.of(
                instance.path("PublicIpAddress").path("IpAddress").path(0),
                instance.path("EipAddress").path("IpAddress"),
                instance.path("VpcAttributes")
                        .path("PrivateIpAddress")
                        .path("IpAddress")
                        .path(0));
        return candidates.stream()
                .map(address -> address.asText(""))
                .filter(address -> !address.isEmpty())
                .findFirst()
                .map(address -> new ClaimStatus.Endpoint(address, sshPort, loginUser))
                .orElse(null);
    }

    static Holding holding(String region, JsonNode instance) {
        return new Holding(
                new PlatformRef(region, KIND, List.of(id(instance))),
                key(instance),
                time(instance.path("CreationTime").asText("")),
                phase(instance));
    }

    private static @Nullable ClaimKey key(JsonNode instance) {
        for (JsonNode tag : instance.path("Tags").path("Tag")) {
            if (tag.path("TagKey").asText("").equals(Tags.CLAIM)) {
                try {
                    return new ClaimKey(tag.path("TagValue").asText(""));
                } catch (IllegalArgumentException notAKey) {
                    return null; // Our tag with a foreign value: reported without a key.
                }
            }
        }
        return null;
    }

    /** Times come as {@code 2026-12-20T00:00Z}, with or without seconds. */
    private static Instant time(String text) {
        try {
            return OffsetDateTime.parse(text).toInstant();
        } catch (DateTimeParseException unreadable) {
            throw new PlatformFault(PlatformFault.Kind.PLATFORM_ERROR, "DescribeInstances: unreadable time " + text);
        }
    }

    // ---- balance -------------------------------------------------------------------------------

    /** {@code AvailableAmount} is a string, with or without thousands separators. */
    static Money balance(JsonNode reply) {
        JsonNode data = reply.path("Data");
        try {
            return Money.rounded(
                    new BigDecimal(data.path("AvailableAmount")
                            .asText("")
                            .replace(",", "")
                            .strip()),
                    Currency.getInstance(data.path("Currency").asText("")));
        } catch (IllegalArgumentException unreadable) { // NumberFormatException is one.
            throw new PlatformFault(
                    PlatformFault.Kind.PLATFORM_ERROR, "QueryAccountBalance: a balance that cannot be read");
        }
    }
}
