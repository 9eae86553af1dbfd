package dev.gpubroker.broker;

import dev.gpubroker.broker.access.AccessModule;
import dev.gpubroker.broker.allocation.OutageRoutes;
import dev.gpubroker.broker.allocation.OutageService;
import dev.gpubroker.broker.allocation.PgAllocationChanges;
import dev.gpubroker.broker.allocation.PgAllocations;
import dev.gpubroker.broker.allocation.PgOutageStore;
import dev.gpubroker.broker.allocation.PgPoolStore;
import dev.gpubroker.broker.allocation.PoolRoutes;
import dev.gpubroker.broker.allocation.PoolService;
import dev.gpubroker.broker.availability.AvailabilityRoutes;
import dev.gpubroker.broker.booking.BookingModule;
import dev.gpubroker.broker.booking.EndScripts;
import dev.gpubroker.broker.calendar.CalendarRoutes;
import dev.gpubroker.broker.catalogue.CatalogueNames;
import dev.gpubroker.broker.catalogue.DeviceVariables;
import dev.gpubroker.broker.catalogue.GpuCatalogue;
import dev.gpubroker.broker.catalogue.LeadTimePriors;
import dev.gpubroker.broker.catalogue.ModelRoutes;
import dev.gpubroker.broker.catalogue.PlatformProfile;
import dev.gpubroker.broker.catalogue.PlatformProfiles;
import dev.gpubroker.broker.catalogue.SubstitutionFacts;
import dev.gpubroker.broker.claim.ClaimStep;
import dev.gpubroker.broker.claim.ClaimStore;
import dev.gpubroker.broker.claim.Contradiction;
import dev.gpubroker.broker.claim.MoneyGuard;
import dev.gpubroker.broker.claim.PgClaimStore;
import dev.gpubroker.broker.claim.PgRefusals;
import dev.gpubroker.broker.claim.Sweep;
import dev.gpubroker.broker.claim.UnknownMachine;
import dev.gpubroker.broker.claim.UnlaunchedMachines;
import dev.gpubroker.broker.claim.VanishedClaim;
import dev.gpubroker.broker.config.AdminToken;
import dev.gpubroker.broker.config.Settings;
import dev.gpubroker.broker.config.SettingsReloader;
import dev.gpubroker.broker.database.Database;
import dev.gpubroker.broker.database.Installation;
import dev.gpubroker.broker.database.Stamp;
import dev.gpubroker.broker.delivery.Deliveries;
import dev.gpubroker.broker.delivery.DeliveryStore;
import dev.gpubroker.broker.delivery.Fanout;
import dev.gpubroker.broker.delivery.PgDeliveryStore;
import dev.gpubroker.broker.delivery.Receivers;
import dev.gpubroker.broker.http.AdminTokenAuthenticator;
import dev.gpubroker.broker.http.Authenticator;
import dev.gpubroker.broker.http.Caller;
import dev.gpubroker.broker.http.Contract;
import dev.gpubroker.broker.http.ContractRouter;
import dev.gpubroker.broker.http.HttpService;
import dev.gpubroker.broker.http.HttpSettings;
import dev.gpubroker.broker.http.IdempotencyStore;
import dev.gpubroker.broker.http.PgFaults;
import dev.gpubroker.broker.http.PgIdempotencyStore;
import dev.gpubroker.broker.http.Readiness;
import dev.gpubroker.broker.http.RouteTable;
import dev.gpubroker.broker.http.Routes;
import dev.gpubroker.broker.http.WebPages;
import dev.gpubroker.broker.identity.IdentityModule;
import dev.gpubroker.broker.inventory.PlatformInventory;
import dev.gpubroker.broker.inventory.StockHistory;
import dev.gpubroker.broker.lease.LeaseModule;
import dev.gpubroker.broker.net.Outbound;
import dev.gpubroker.broker.net.OutboundGuard;
import dev.gpubroker.broker.net.Resolver;
import dev.gpubroker.broker.notify.MailSender;
import dev.gpubroker.broker.outbox.Relay;
import dev.gpubroker.broker.person.PersonRoutes;
import dev.gpubroker.broker.person.PgPersons;
import dev.gpubroker.broker.planning.KnownLeadTimes;
import dev.gpubroker.broker.planning.PlanDesk;
import dev.gpubroker.broker.planning.Planner;
import dev.gpubroker.broker.planning.PlanningInput;
import dev.gpubroker.broker.planning.Policy;
import dev.gpubroker.broker.platform.AccountRoutes;
import dev.gpubroker.broker.platform.Accounts;
import dev.gpubroker.broker.platform.Lanes;
import dev.gpubroker.broker.platform.PlatformRoutes;
import dev.gpubroker.broker.platform.PurchaseRoutes;
import dev.gpubroker.broker.quote.ExchangeRates;
import dev.gpubroker.broker.quote.Quoter;
import dev.gpubroker.broker.request.BookingRequest;
import dev.gpubroker.broker.request.Echo;
import dev.gpubroker.broker.request.InterpretationRoutes;
import dev.gpubroker.broker.request.KnownNames;
import dev.gpubroker.broker.request.PersonalRequests;
import dev.gpubroker.broker.request.RequestNormaliser;
import dev.gpubroker.broker.request.RequestReader;
import dev.gpubroker.broker.schedule.ClockRoutes;
import dev.gpubroker.broker.schedule.DemoClock;
import dev.gpubroker.broker.schedule.DueWorker;
import dev.gpubroker.broker.schedule.PgDueWork;
import dev.gpubroker.broker.schedule.quartz.WakeUps;
import dev.gpubroker.broker.secret.SealedColumn;
import dev.gpubroker.broker.secret.SecretBox;
import dev.gpubroker.broker.simulation.HostedSimulators;
import dev.gpubroker.broker.status.StatusRoutes;
import dev.gpubroker.broker.substitution.CatalogueCandidates;
import dev.gpubroker.broker.substitution.StandIns;
import dev.gpubroker.broker.task.PgTasks;
import dev.gpubroker.broker.task.TaskKind;
import dev.gpubroker.broker.task.TaskRoutes;
import dev.gpubroker.broker.time.BusinessClock;
import dev.gpubroker.broker.time.PgTimeSource;
import dev.gpubroker.broker.trigger.Trigger;
import dev.gpubroker.broker.trigger.TriggerModule;
import dev.gpubroker.broker.webhook.Webhook;
import dev.gpubroker.broker.webhook.WebhookModule;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The broker: reads its settings, builds every object by hand from the ground up, and runs until it is closed. */
public final class BrokerMain implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(BrokerMain.class);
    /** An event loop that is busy for so long is told. */
    private static final Duration SLOW_LOOP = Duration.ofSeconds(10);
    /** One that is busy for so long is told with what it does. */
    private static final Duration STUCK_LOOP = Duration.ofSeconds(30);

    private static final Duration CLEAN_EVERY = Duration.ofHours(1);
    /** Quotes are kept so long after they ran out, for the question what was quoted. */
    private static final Duration QUOTES_KEPT = Duration.ofDays(7);
    /** Deliveries are kept so long after they ended, for whoever looks for a fault or wants one sent again. */
    private static final Duration DELIVERIES_KEPT = Duration.ofDays(30);

    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private int port;
    private @Nullable URI simulatorControl;

    private BrokerMain() {}

    /**
     * Starts everything; blocks for seconds.
     *
     * @throws dev.gpubroker.broker.config.StartException saying what to change
     */
    public static BrokerMain start(Settings settings, Supplier<Settings> reread) throws TimeoutException {
        BrokerMain broker = new BrokerMain();
        try {
            broker.build(settings, reread);
            return broker;
        } catch (TimeoutException | RuntimeException fault) {
            broker.close();
            throw fault;
        }
    }

    public int port() {
        return port;
    }

    /** Where the hosted simulators are controlled; null without them. */
    public @Nullable URI simulatorControl() {
        return simulatorControl;
    }

    private void build(Settings settings, Supplier<Settings> reread) throws TimeoutException {
        Stamp stamp = Stamp.of(settings);
        SettingsReloader reloader = new SettingsReloader(settings, reread);
        ZoneId zone = settings.timeZone();

        Vertx vertx = Vertx.vertx(patient());
        closing(() -> await(vertx.close()));
        Database database = Database.open(vertx, settings);
        closing(database);
        Installation installation = await(Installation.open(database, stamp));
        BusinessClock clock =
                await(BusinessClock.start(new PgTimeSource(database.pool()))).keepFresh(vertx);
        closing(clock);

        HostedSimulators simulators = await(HostedSimulators.open(vertx, settings, database.jdbc(), clock));
        closing(() -> await(simulators.stop()));
        simulatorControl = simulators.control();
        Accounts accounts = await(
                        Accounts.open(vertx, database, settings, simulators.endpoints(), installation.id(), clock))
                .keepFresh(vertx);
        closing(accounts);
        reloader.onChange(changed ->
                accounts.reload(changed).onFailure(fault -> LOG.error("the accounts could not be reloaded", fault)));
        Lanes platforms = new Lanes(vertx, accounts, clock, Clock.systemUTC());
        closing(() -> await(platforms.stop()));

        GpuCatalogue catalogue = GpuCatalogue.shipped();
        PlatformProfiles profiles = PlatformProfiles.shipped();
        CatalogueNames names = new CatalogueNames(catalogue);
        Echo echo = new Echo(names);
        ExchangeRates rates = ExchangeRates.shipped();
        KnownNames known = new KnownNames(
                PlatformProfiles.COMPLIANCE_IDS,
                rates.currencies(),
                () -> PlatformRoutes.ids(platforms, profiles),
                () -> regions(platforms));
        RequestReader requests = new RequestReader(new RequestNormaliser(names, known), zone, clock);
        Supplier<Policy> policy = () -> policy(reloader.current());

        StockHistory history = new StockHistory(database.pool(), clock, InstantSource.system());
        PlatformInventory inventory = new PlatformInventory(vertx, platforms, clock, InstantSource.system(), history);
        PgAllocations allocations = new PgAllocations(database, catalogue);
        Quoter quoter = new Quoter(rates);
        KnownLeadTimes waits = new KnownLeadTimes(history, catalogue, LeadTimePriors.shipped());
        PlanDesk desk = new PlanDesk(
                new CatalogueCandidates(catalogue, StandIns.shipped()),
                inventory,
                allocations,
                waits,
                new PgRefusals(database),
                compliance(profiles),
                new Planner(quoter),
                policy,
                clock);

        PgDueWork due = new PgDueWork(database);
        AccessModule access = new AccessModule(
                vertx,
                database,
                platforms,
                due,
                settings.publicUrl(),
                stamp == Stamp.SIMULATED,
                settings.machineLogin(),
                settings.data(),
                new DeviceVariables(catalogue),
                clock);
        PgPersons persons = new PgPersons(database);
        EndScripts scripts = access.endScripts();
        PersonalRequests personal = new PersonalRequests(
                requests,
                BookingModule.endRule(scripts),
                caller -> persons.read(caller.team(), caller.name())
                        .map(person -> new PersonalRequests.Own(person.machine(), person.timeZone())));
        PgOutageStore outages = new PgOutageStore(database);
        ClaimStore claims = new PgClaimStore(database);
        PgTasks tasks = new PgTasks(database);
        LeaseModule leases = new LeaseModule(vertx, database, catalogue, due, policy, zone, clock);
        BookingModule booking = new BookingModule(new BookingModule.Needs(
                database,
                desk,
                quoter,
                allocations,
                new PgAllocationChanges(database, allocations),
                outages,
                claims,
                platforms,
                due,
                requests,
                personal,
                access.readiness(),
                scripts,
                catalogue,
                echo,
                tasks,
                leases.waiting(),
                leases.use(),
                installation.id(),
                policy,
                clock));
        PgPoolStore pools = new PgPoolStore(database);
        OutageService repairs = new OutageService(database, pools, outages, booking.outageEffects(), due, zone, clock);
        Sweep sweep = new Sweep(database, claims, platforms, due, tasks, installation.id(), clock);

        AtomicReference<WakeUps> wakeUps = new AtomicReference<>();
        DueWorker worker = new DueWorker(
                vertx, due, clock, System::nanoTime, workerName(installation), at -> wake(wakeUps.get(), at));
        booking.register(worker);
        leases.register(worker);
        access.register(worker);
        worker.on(
                        ClaimStep.KIND,
                        new ClaimStep(
                                database, claims, platforms, new MoneyGuard(tasks), due, tasks, clock, access.orders()))
                .on(Sweep.KIND, sweep)
                .on(OutageService.KIND, repairs);
        due.onLook(worker::lookNow);
        if (settings.database() == null) {
            await(due.letGoOfAll()); // The data folder's lock says that no other broker lives.
        }
        WakeUps quartz = WakeUps.start(vertx, database.jdbc(), clock, worker::lookNow);
        wakeUps.set(quartz);
        closing(quartz);
        closing(() -> await(worker.stop()));
        await(sweep.begin());
        await(booking.begin());
        // The first call of an SDK takes seconds; asked once now, so that the first quote has its prices in time.
        Future<?> warmedUp = inventory.warmUp();
        worker.start();
        List<SealedColumn> sealed = new ArrayList<>(Webhook.SEALED);
        sealed.addAll(Trigger.SEALED);
        SecretBox box = await(SecretBox.open(database, settings, sealed));
        OutboundGuard guard = new OutboundGuard(
                Resolver.ofTheMachine(vertx), () -> reloader.current().webhooks());
        Outbound outbound = new Outbound(vertx, guard);
        DeliveryStore outgoing = new PgDeliveryStore(database);
        WebhookModule webhooks = new WebhookModule(new WebhookModule.Needs(
                database,
                box,
                outgoing,
                tasks,
                guard,
                outbound,
                installation.id(),
                zone,
                clock,
                InstantSource.system()));
        TriggerModule triggers = new TriggerModule(new TriggerModule.Needs(
                database,
                box,
                outgoing,
                guard,
                outbound,
                access.runners(booking.reservations()),
                zone,
                clock,
                InstantSource.system()));
        List<Receivers> receivers = new ArrayList<>(triggers.receivers());
        receivers.add(webhooks.receivers());
        receivers.add(new MailSender(
                vertx,
                () -> reloader.current().notifications(),
                installation.id(),
                settings.publicUrl().toString()));
        Deliveries deliveries = new Deliveries(
                vertx,
                outgoing,
                receivers,
                InstantSource.system(),
                () -> ThreadLocalRandom.current().nextDouble());
        deliveries.start();
        closing(deliveries);
        Relay relay = new Relay(
                vertx, database, new Fanout(receivers, outgoing, InstantSource.system(), deliveries::lookNow)::deliver);
        relay.start();
        closing(relay);
        IdempotencyStore keys = new PgIdempotencyStore(database.pool());
        vertx.setPeriodic(CLEAN_EVERY.toMillis(), tick -> clean(keys, booking, clock));
        vertx.setPeriodic(CLEAN_EVERY.toMillis(), tick -> clean(outgoing, webhooks));

        DemoClock demo =
                new DemoClock(vertx, database, due, worker, clock, platforms::halfOpenBreakers, quartz::rescheduleAll);
        Contract contract = Contract.packaged();
        List<Routes> routes = new ArrayList<>(booking.routes());
        routes.add(new InterpretationRoutes(personal));
        routes.add(access.routes(booking.reservations()));
        routes.add(new PersonRoutes(persons, clock));
        routes.add(new AvailabilityRoutes(inventory, platforms, waits, catalogue, zone, clock));
        routes.add(new AccountRoutes(accounts, platforms));
        routes.add(new PlatformRoutes(platforms, profiles));
        routes.add(new ModelRoutes(catalogue, SubstitutionFacts.shipped(), PlatformRoutes.sellers(platforms)));
        List<TaskKind> kinds = new ArrayList<>(booking.tasks());
        kinds.add(new VanishedClaim(claims, due, clock));
        kinds.add(new UnlaunchedMachines(due));
        kinds.add(new UnknownMachine());
        kinds.add(new Contradiction());
        kinds.add(webhooks.task());
        routes.add(new TaskRoutes(database, tasks, kinds, due, accounts::refresh, zone, clock));
        routes.add(new PurchaseRoutes(database, zone, clock));
        routes.add(webhooks.routes(deliveries::lookNow));
        routes.add(triggers.routes(deliveries::lookNow));
        routes.add(new PoolRoutes(new PoolService(database, pools, catalogue, due, clock), zone));
        routes.add(new OutageRoutes(repairs, zone));
        routes.add(leases.routes());
        routes.add(new CalendarRoutes(booking.reservations(), team -> rows(platforms, pools, team), zone, clock));
        routes.add(new ClockRoutes(
                demo,
                clock,
                settings.demoClock(),
                zone,
                () -> booking.booking().isUsed().compose(used -> used ? Future.succeededFuture(true) : leases.isUsed()),
                () -> history.discard()
                        .onSuccess(done -> inventory.discard())
                        .compose(done -> sweep.begin())
                        .compose(done -> booking.begin())
                        .compose(done -> quartz.rescheduleAll())));
        routes.add(new StatusRoutes(
                installation, version(), database, booking.reservations(), claims, platforms::health, zone, clock));
        IdentityModule identity =
                new IdentityModule(vertx, database, Clock.systemUTC(), zone, stamp == Stamp.SIMULATED);
        closing(identity);
        routes.addAll(identity.routes());
        routes.add(new Readiness(List.of(
                new Readiness.Check(
                        "database", () -> database.pool().query("SELECT 1").execute()),
                new Readiness.Check("simulators", simulators::isReady),
                new Readiness.Check("platforms asked once", () -> warmedUp.otherwiseEmpty()))));
        Authenticator callers = Authenticator.firstOf(List.of(
                new AdminTokenAuthenticator(AdminToken.of(settings).value(), new Caller("default", "admin", true)),
                identity.authenticator()));
        ContractRouter router =
                new ContractRouter(contract, RouteTable.of(routes), callers, keys, PgFaults::isUnavailable);
        HttpService http = new HttpService(
                vertx,
                HttpSettings.of(settings.bind(), settings.port()),
                await(router.build(vertx, List.of(new WebPages(contract)))));
        closing(() -> await(http.stop()));
        closing(leases); // Before the server stops, which waits for requests in progress.
        port = await(http.start());
        reloader.listenForHangup();
        LOG.info(
                "gpu-broker {} ({}) answers on http://{}:{}; business time {}",
                installation.id(),
                stamp.word(),
                settings.bind(),
                port,
                clock.instant());
    }

    /**
     * Vert.x warns of a busy event loop after two seconds, with a stack after five. On a slow or shared machine the first
     * calls take that long without anything being wrong, so only what would be wrong anywhere is told.
     */
    static VertxOptions patient() {
        return new VertxOptions()
                .setMaxEventLoopExecuteTime(SLOW_LOOP.toSeconds())
                .setMaxEventLoopExecuteTimeUnit(TimeUnit.SECONDS)
                .setWarningExceptionTime(STUCK_LOOP.toSeconds())
                .setWarningExceptionTimeUnit(TimeUnit.SECONDS);
    }

    private static PlanningInput.Compliance compliance(PlatformProfiles profiles) {
        return new PlanningInput.Compliance() {
            @Override
            public Optional<String> lacks(String platform, Set<String> ids, LocalDate on) {
                return profiles.nonCompliance(platform, ids, on);
            }

            @Override
            public boolean sellsTo(String platform, String customerType) {
                return profiles.find(platform)
                        .map(profile -> profile.sellsTo(customerType))
                        .orElse(true);
            }

            @Override
            public boolean keepsDataIn(String platform, String country) {
                return profiles.find(platform)
                        .map(PlatformProfile::dataPlace)
                        .map(country::equalsIgnoreCase)
                        .orElse(false);
            }
        };
    }

    /** Regions of the accounts, also those in which a platform is only known to sell, and that of own machines. */
    private static Set<String> regions(Lanes platforms) {
        Set<String> regions = new TreeSet<>();
        platforms.accounts().forEach(account -> {
            regions.addAll(platforms.regions(account.id()));
            account.capabilities().shapes().forEach(shape -> regions.addAll(shape.regions()));
        });
        if (!regions.isEmpty()) {
            regions.add(BookingRequest.Constraints.OWN_REGION);
        }
        return regions;
    }

    private static Policy policy(Settings settings) {
        dev.gpubroker.broker.config.Policy set = settings.policy();
        Policy standard = Policy.standard();
        return new Policy(
                set.decideBefore(),
                set.startGrace(),
                set.releaseGrace(),
                set.acquireLead(),
                set.allowHoldEarly(),
                set.maxAttempts(),
                standard.quoteLife(),
                standard.capPercent(),
                set.strictLine(),
                set.mostPasses(),
                set.leastPart(),
                set.noShowAfter(),
                standard.heldPlace());
    }

    /** Tells the brokers of one database apart. */
    private static String workerName(Installation installation) {
        return "broker-" + installation.id() + "-"
                + ManagementFactory.getRuntimeMXBean().getName();
    }

    private static void wake(@Nullable WakeUps quartz, Instant at) {
        if (quartz != null) {
            quartz.wakeAt(at).onFailure(fault -> LOG.warn("no wake-up at {}; the scan looks anyway", at, fault));
        }
    }

    private static Future<List<CalendarRoutes.Row>> rows(Lanes platforms, PgPoolStore pools, String team) {
        return pools.list(team).map(own -> {
            List<CalendarRoutes.Row> rows = new ArrayList<>();
            own.forEach(pool -> rows.add(new CalendarRoutes.Row("pool:" + pool.name(), pool.name(), "pool")));
            platforms.accounts().stream()
                    .map(account -> new CalendarRoutes.Row(
                            account.platform(), account.capabilities().name(), "platform"))
                    .distinct()
                    .forEach(rows::add);
            return rows;
        });
    }

    private static void clean(IdempotencyStore keys, BookingModule booking, BusinessClock clock) {
        Future.all(
                        keys.expire(IdempotencyStore.KEPT),
                        booking.expireQuotes(clock.instant().minus(QUOTES_KEPT)))
                .onFailure(fault ->
                        LOG.warn("old keys and quotes could not be cleaned up; tried again in an hour", fault));
    }

    private static void clean(DeliveryStore outgoing, WebhookModule webhooks) {
        Future.all(outgoing.clean(Instant.now().minus(DELIVERIES_KEPT)), webhooks.clean())
                .onFailure(fault -> LOG.warn("old deliveries could not be cleaned up; tried again in an hour", fault));
    }

    private static String version() {
        String version = BrokerMain.class.getPackage().getImplementationVersion();
        return version == null ? "development" : version;
    }

    private void closing(AutoCloseable closeable) {
        open.push(closeable);
    }

    private static <T> T await(Future<T> future) throws TimeoutException {
        return future.await(60, TimeUnit.SECONDS);
    }

    /** In the opposite order of building; what does not close is logged and does not keep the rest open. */
    @Override
    public void close() {
        while (!open.isEmpty()) {
            AutoCloseable next = open.pop();
            try {
                next.close();
            } catch (Exception fault) {
                LOG.warn("stopping: {} does not close in order", next, fault);
            }
        }
    }
}
