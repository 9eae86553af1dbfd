package dev.gpubroker.broker.cli;

import dev.gpubroker.client.model.AtEnd;
import dev.gpubroker.client.model.BookingBody;
import dev.gpubroker.client.model.Constraints;
import dev.gpubroker.client.model.GpuWish;
import dev.gpubroker.client.model.Machine;
import dev.gpubroker.client.model.SecurityWish;
import dev.gpubroker.client.model.SubstitutionWish;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The command that makes a complete request again: with its dates, so that it means the same on any day. */
final class EquivalentCommand {
    private final List<String> arguments = new ArrayList<>();

    private EquivalentCommand() {}

    /**
     * As arguments behind {@code gpu-broker}.
     *
     * @param verb {@code book} or {@code quote}
     */
    static List<String> of(String verb, BookingBody body) {
        EquivalentCommand command = new EquivalentCommand();
        command.arguments.add(verb);
        String phrase = body.getPhrase();
        boolean isPlain = phrase != null && !phrase.startsWith("-");
        if (phrase != null && isPlain) {
            // Beside a complete request it is only the record of what was said.
            command.arguments.add(phrase);
        }
        command.gpu(body.getGpu());
        command.option("--start", body.getStart());
        command.option("--end", body.getEnd());
        command.option("--for", body.getDuration());
        command.option("--time-zone", body.getTimeZone());
        command.constraints(body.getConstraints());
        command.substitution(body.getSubstitution());
        command.machine(body.getMachine());
        command.atEnd(body.getAtEnd());
        command.option("--on-unavailable", body.getOnUnavailable());
        if (body.getMaxTotal() != null) {
            command.option(
                    "--max-total",
                    body.getMaxTotal().getAmount() + body.getMaxTotal().getCurrency());
        }
        command.option("--title", body.getTitle());
        if (body.getLabels() != null) {
            new TreeMap<>(body.getLabels()).forEach((key, value) -> command.option("--label", key + "=" + value));
        }
        command.option("--quote", body.getQuoteId());
        if (phrase != null && !isPlain) {
            command.arguments.add("--"); // Behind it nothing is taken for an option.
            command.arguments.add(phrase);
        }
        return List.copyOf(command.arguments);
    }

    private void gpu(@Nullable GpuWish gpu) {
        if (gpu != null) {
            option("--gpu", gpu.getModel());
            option("--count", gpu.getCount());
            option("--nodes", gpu.getNodes());
            option("--memory", gpu.getMemoryGb());
            option("--form-factor", gpu.getFormFactor());
        }
    }

    private void constraints(@Nullable Constraints wish) {
        if (wish == null) {
            return;
        }
        list("--platforms", wish.getPlatforms());
        list("--regions", wish.getRegions());
        list("--compliance", wish.getCompliance());
        list("--frameworks", wish.getFrameworks());
        flag("--single-node", Boolean.TRUE.equals(wish.getSingleNode()));
        flag("--many-nodes", Boolean.FALSE.equals(wish.getSingleNode()));
        option("--interconnect", wish.getInterconnect());
        option("--max-lead-time", wish.getMaxLeadTime());
        option("--customer-type", wish.getCustomerType());
        option("--data-place", wish.getDataPlace());
        SecurityWish security = wish.getSecurity();
        if (security != null) {
            flag("--encrypted-disks", Boolean.TRUE.equals(security.getEncryptedDisks()));
            flag("--no-public-ip", Boolean.TRUE.equals(security.getNoPublicIp()));
            flag("--dedicated-host", Boolean.TRUE.equals(security.getDedicatedHost()));
        }
    }

    private void substitution(@Nullable SubstitutionWish wish) {
        if (wish != null) {
            option("--substitute", wish.getMode());
            list("--models", wish.getModels());
            option(
                    "--max-slowdown",
                    wish.getMaxSlowdown() == null ? null : wish.getMaxSlowdown().toPlainString());
            flag("--scale-count", Boolean.TRUE.equals(wish.getScaleCount()));
            flag("--extend-window", Boolean.TRUE.equals(wish.getExtendWindow()));
        }
    }

    private void machine(@Nullable Machine wish) {
        if (wish == null) {
            return;
        }
        option("--image", wish.getImage());
        list("--machine-frameworks", wish.getFrameworks());
        if (wish.getSshKeys() != null) {
            wish.getSshKeys().forEach(key -> option("--ssh-key", key));
        }
        option("--startup-script", wish.getStartupScript());
        option("--data-disk", wish.getDataDiskGb());
        flag("--public-ip", Boolean.TRUE.equals(wish.getPublicIp()));
    }

    private void atEnd(@Nullable AtEnd wish) {
        if (wish != null) {
            option("--at-end", wish.getHook());
            option("--at-end-timeout", wish.getHookTimeout());
            option("--keep", wish.getKeep());
            option("--keep-days", wish.getKeepDays());
        }
    }

    private void option(String name, @Nullable Object value) {
        if (value == null) {
            return;
        }
        String text = value.toString();
        if (text.startsWith("-")) {
            arguments.add(name + "=" + text);
        } else {
            arguments.add(name);
            arguments.add(text);
        }
    }

    private void list(String name, @Nullable List<String> values) {
        if (values != null && !values.isEmpty()) {
            option(name, String.join(",", values));
        }
    }

    private void flag(String name, boolean given) {
        if (given) {
            arguments.add(name);
        }
    }
}
