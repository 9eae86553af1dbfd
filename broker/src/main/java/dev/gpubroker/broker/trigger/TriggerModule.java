package dev.gpubroker.broker.trigger;

import dev.gpubroker.broker.database.Database;
import dev.gpubroker.broker.delivery.DeliveryStore;
import dev.gpubroker.broker.delivery.Receivers;
import dev.gpubroker.broker.http.Routes;
import dev.gpubroker.broker.net.Outbound;
import dev.gpubroker.broker.net.OutboundGuard;
import dev.gpubroker.broker.secret.SecretBox;
import java.time.InstantSource;
import java.time.ZoneId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Builds the objects of this package by hand. */
public final class TriggerModule {
    private final TriggerSender sender;
    private final @Nullable RunnerEnd runnerEnd;
    private final TriggerService service;
    private final ZoneId zone;

    /**
     * What the package needs of others.
     *
     * @param host null while nothing can be run on machines
     */
    public record Needs(
            Database database,
            SecretBox box,
            DeliveryStore deliveries,
            OutboundGuard guard,
            Outbound outbound,
            @Nullable RunnerHost host,
            ZoneId zone,
            InstantSource clock,
            InstantSource wall) {}

    public TriggerModule(Needs needs) {
        TriggerStore triggers = new PgTriggerStore(needs.database());
        Starts starts = new Starts(needs.box());
        Runners put = new PgRunners(needs.database());
        RunnerStarts runners = new RunnerStarts(needs.outbound(), starts, triggers, put, needs.host(), needs.clock());
        this.runnerEnd =
                needs.host() == null ? null : new RunnerEnd(triggers, put, runners, needs.host(), needs.clock());
        this.sender = new TriggerSender(triggers, starts, needs.outbound(), runners);
        this.service = new TriggerService(
                needs.database(),
                triggers,
                needs.deliveries(),
                needs.box(),
                needs.guard(),
                runners,
                needs.clock(),
                needs.wall());
        this.zone = needs.zone();
    }

    public List<Receivers> receivers() {
        return runnerEnd == null ? List.of(sender) : List.of(sender, runnerEnd);
    }

    /** @param again called when there is something to start */
    public Routes routes(Runnable again) {
        return new TriggerRoutes(service, again, zone);
    }
}
