package dev.gpubroker.adapter.aws;

import dev.gpubroker.adapter.spi.ClaimStatus.Phase;
import dev.gpubroker.adapter.spi.LineKind;
import dev.gpubroker.adapter.spi.MachineSpec;
import dev.gpubroker.adapter.spi.Offer;
import dev.gpubroker.adapter.spi.PlatformFault;
import dev.gpubroker.adapter.spi.Price;
import dev.gpubroker.adapter.spi.Reason;
import dev.gpubroker.adapter.spi.Shape;
import dev.gpubroker.adapter.spi.Stock;
import dev.gpubroker.adapter.spi.Term;
import dev.gpubroker.adapter.spi.Window;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.ec2.model.CapacityBlockOffering;
import software.amazon.awssdk.services.ec2.model.Instance;
import software.amazon.awssdk.services.ec2.model.StateReason;

/** From EC2's words to ours: offerings to offers, fees to lines, states to phases. */
final class AwsMapping {
    static final String BILLING = "capacity-block";
    static final String LINUX = "Linux/UNIX";

    private static final String FEE = "upfrontFee";
    private static final String CURRENCY = "currency";
    private static final String COUNT = "instanceCount";
    private static final int MOST_PLACES = 12;

    private AwsMapping() {}

    /** Empty where the answer lacks what an offer must state. */
    static Optional<Offer> offer(Shape shape, String region, CapacityBlockOffering offering) {
        String id = offering.capacityBlockOfferingId();
        Instant start = offering.startDate();
        Instant end = offering.endDate();
        Integer count = offering.instanceCount();
        if (id == null || start == null || end == null || count == null || !start.isBefore(end)) {
            return Optional.empty();
        }
        Map<String, String> attributes = new HashMap<>();
        attributes.put(COUNT, count.toString());
        if (offering.upfrontFee() != null) {
            attributes.put(FEE, offering.upfrontFee());
        }
        if (offering.currencyCode() != null) {
            attributes.put(CURRENCY, offering.currencyCode());
        }
        Instant usableEnd = end.minus(AwsShapes.TAKEN_BACK_BEFORE_END);
        return Optional.of(new Offer(
                id,
                shape.sku(),
                shape.flavor(),
                region,
                offering.availabilityZone(),
                Term.FORWARD,
                Stock.of(count),
                new Window(start, end),
                usableEnd.isAfter(start) ? usableEnd : start,
                attributes));
    }

    static boolean covers(Offer offer, Window wanted) {
        Window sold = offer.window();
        Instant usableEnd = offer.usableEnd();
        return sold != null
                && usableEnd != null
                && !sold.start().isAfter(wanted.start())
                && !usableEnd.isBefore(wanted.end());
    }

    /** How many machines the offering is for: it is bought whole or not at all. */
    static int count(Offer offer) {
        String count = offer.attributes().get(COUNT);
        if (count == null) {
            throw new PlatformFault(PlatformFault.Kind.BAD_REQUEST, "not an offer of this adapter: " + offer.id());
        }
        return Integer.parseInt(count);
    }

    /** The fee of the whole block; null if EC2 stated none. */
    static @Nullable BigDecimal fee(Offer offer) {
        String fee = offer.attributes().get(FEE);
        if (fee == null || fee.isBlank()) {
            return null;
        }
        if (fee.length() > 40 || !fee.strip().matches("-?\\d+(\\.\\d+)?")) {
            throw new PlatformFault(PlatformFault.Kind.PLATFORM_ERROR, "the fee of " + offer.id() + " cannot be read");
        }
        return new BigDecimal(fee.strip());
    }

    static String currency(Offer offer) {
        return offer.attributes().getOrDefault(CURRENCY, "USD");
    }

    /** The one way to pay: the whole fee up front. Parts that EC2 bills apart and does not state here have no unit price. */
    static Price price(Offer offer, Window sold, String platform, MachineSpec machine) {
        int count = count(offer);
        String currency = currency(offer);
        List<Price.Line> lines = new ArrayList<>();
        lines.add(gpuLine(offer, sold, count, currency));
        BigDecimal hours = instanceHours(sold, count);
        if (!platform.equals(LINUX)) {
            lines.add(
                    hours == null
                            ? line(
                                    LineKind.IMAGE,
                                    "operating system fee of " + platform,
                                    "block",
                                    BigDecimal.ONE,
                                    currency)
                            : line(
                                    LineKind.IMAGE,
                                    "operating system fee of " + platform,
                                    "instance-hour",
                                    hours,
                                    currency));
        }
        if (machine.dataDiskGb() > 0) {
            BigDecimal gb = BigDecimal.valueOf(machine.dataDiskGb()).multiply(BigDecimal.valueOf(count));
            lines.add(line(LineKind.DATA_DISK, "EBS volume over the window", "GB", gb, currency));
        }
        if (machine.publicIp()) {
            lines.add(line(
                    LineKind.PUBLIC_IP,
                    "public IPv4 address over the window",
                    "address",
                    BigDecimal.valueOf(count),
                    currency));
        }
        return new Price(BILLING, sold, lines);
    }

    private static Price.Line gpuLine(Offer offer, Window sold, int count, String currency) {
        BigDecimal fee = fee(offer);
        BigDecimal hours = instanceHours(sold, count);
        String what = count + " × " + offer.sku() + ", Capacity Block, paid up front";
        if (fee != null && hours != null) {
            BigDecimal hourly = fee.divide(hours, MOST_PLACES, RoundingMode.DOWN);
            if (hourly.multiply(hours).compareTo(fee) == 0) {
                return new Price.Line(LineKind.GPU, what, "instance-hour", hours, plain(hourly), currency);
            }
        }
        return new Price.Line(LineKind.GPU, what, "block", BigDecimal.ONE, fee == null ? null : plain(fee), currency);
    }

    private static Price.Line line(LineKind kind, String what, String unit, BigDecimal quantity, String currency) {
        return new Price.Line(kind, what, unit, quantity, null, currency);
    }

    /** Machines times hours; null where minutes make it a number without end. */
    static @Nullable BigDecimal instanceHours(Window sold, int count) {
        BigDecimal minutes = BigDecimal.valueOf(sold.length().toMinutes()).multiply(BigDecimal.valueOf(count));
        BigDecimal hours = minutes.divide(BigDecimal.valueOf(60), MOST_PLACES, RoundingMode.DOWN);
        boolean exact = hours.multiply(BigDecimal.valueOf(60)).compareTo(minutes) == 0
                && sold.length().equals(Duration.ofMinutes(sold.length().toMinutes()));
        return exact ? plain(hours) : null;
    }

    private static BigDecimal plain(BigDecimal number) {
        BigDecimal stripped = number.stripTrailingZeros();
        return stripped.scale() < 0 ? stripped.setScale(0) : stripped;
    }

    /** Of a reservation without machines; states as in the EC2 API model 2016-11-15. */
    static Phase reservationPhase(@Nullable String state) {
        switch (state == null ? "" : state) {
            case "payment-pending":
            case "pending":
            case "assessing":
                return Phase.PENDING;
            case "scheduled":
            case "delayed":
            case "active":
                return Phase.SECURED;
            case "cancelling":
                return Phase.ENDING;
            case "expired":
            case "cancelled":
                return Phase.GONE;
            case "payment-failed":
            case "failed":
            case "unsupported":
            case "unavailable":
                return Phase.FAILED;
            default:
                return Phase.UNKNOWN;
        }
    }

    /** A stopped machine still has its disks: it is not gone. */
    static Phase instancePhase(@Nullable String state) {
        switch (state == null ? "" : state) {
            case "pending":
                return Phase.STARTING;
            case "running":
                return Phase.RUNNING;
            case "shutting-down":
            case "stopping":
            case "stopped":
                return Phase.ENDING;
            case "terminated":
                return Phase.GONE;
            default:
                return Phase.UNKNOWN;
        }
    }

    static @Nullable String stateOf(Instance machine) {
        return machine.state() == null ? null : machine.state().nameAsString();
    }

    /** Why a machine ended, if not by us; codes from the EC2 User Guide, instance termination. */
    static @Nullable Reason failure(Instance machine) {
        StateReason why = machine.stateReason();
        String code = why == null || why.code() == null ? "" : why.code();
        switch (code) {
            case "Server.InsufficientInstanceCapacity":
                return Reason.SOLD_OUT;
            case "Client.VolumeLimitExceeded":
                return Reason.NO_QUOTA;
            case "Server.InternalError":
            case "Client.InternalError":
            case "Client.InvalidSnapshot.NotFound":
                return Reason.REFUSED_UNKNOWN;
            default:
                return null;
        }
    }
}
