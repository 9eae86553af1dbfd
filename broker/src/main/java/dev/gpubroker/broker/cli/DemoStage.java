package dev.gpubroker.broker.cli;

import com.fasterxml.jackson.databind.JsonNode;
import dev.gpubroker.client.ApiException;
import dev.gpubroker.client.model.Reservation;
import dev.gpubroker.client.model.ReservationEvent;
import dev.gpubroker.client.model.State;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToIntFunction;

/** What the scenes of the demo have in common: they run commands as a person would, and look whether it came true. */
final class DemoStage {
    private final Session session;
    private final ToIntFunction<String[]> commands;
    private final SimControl simulators;
    private final ZoneId zone;

    DemoStage(Session session, ToIntFunction<String[]> commands) throws ApiException {
        this.session = session;
        this.commands = commands;
        this.simulators = new SimControl(session, null);
        this.zone = ZoneId.of(session.operation().readStatus().getTimeZone());
    }

    ZoneId zone() {
        return zone;
    }

    Session session() {
        return session;
    }

    ZonedDateTime now() throws ApiException {
        return Times.read(session.operation().readDemoClock().getNow()).atZoneSameInstant(zone);
    }

    String midnight(LocalDate day) {
        return Times.midnight(day, zone);
    }

    void scene(String english, String chinese) {
        session.say("\n=== " + session.lang().pick(english, chinese) + " ===");
    }

    void remark(String english, String chinese) {
        session.say("# " + session.lang().pick(english, chinese));
    }

    /** Prints a command, runs it, and stops the demo if it does not end well. */
    void run(String... arguments) {
        session.say("\n$ " + Shell.command(List.of(arguments)));
        int code = commands.applyAsInt(arguments);
        if (code != ExitCode.OK) {
            throw new CliFailure(ExitCode.FAILED, "demo: the command above ended with exit code " + code + ".");
        }
    }

    void clockTo(ZonedDateTime time) {
        run("clock", "--set", Times.wire(time));
    }

    /** Moves the clock to some time after an instant of a reservation. */
    void clockAfter(String wire, Duration later) {
        clockTo(Times.read(wire).atZoneSameInstant(zone).plus(later));
    }

    void check(boolean isTrue, String english, String chinese) {
        String text = session.lang().pick(english, chinese);
        if (!isTrue) {
            throw new CliFailure(ExitCode.FAILED, "demo: NOT TRUE: " + text);
        }
        session.say("✓ " + text);
    }

    Reservation newest() throws ApiException {
        List<Reservation> found = Pages.reservations(session, new Pages.Filter(null, null, null, null), 1);
        if (found.isEmpty()) {
            throw new CliFailure(ExitCode.FAILED, "demo: there is no reservation.");
        }
        return found.get(0);
    }

    /** The day on which the first of all reservations was made. */
    String firstDay() throws ApiException {
        List<Reservation> all = Pages.reservations(session, new Pages.Filter(null, null, null, null), 1000);
        return Times.read(all.get(all.size() - 1).getCreatedAt()).toLocalDate().toString();
    }

    Reservation read(String id) throws ApiException {
        return session.reservations().readReservation(id);
    }

    /** Looks whether a reservation has come to a state. */
    Reservation mustBe(String id, State state) throws ApiException {
        Reservation now = read(id);
        if (now.getState() != state) {
            run("show", id, "--events");
        }
        String word = Words.of(state.getValue(), session.lang());
        check(now.getState() == state, "the reservation is " + word, "预订状态：" + word);
        return now;
    }

    /** The states that a reservation went through, in order. */
    List<String> states(String id) throws ApiException {
        List<String> states = new ArrayList<>();
        for (ReservationEvent event : Pages.events(session, id)) {
            String state = ReservationView.state(event.getAfter());
            if (!state.isEmpty()
                    && (states.isEmpty() || !states.get(states.size() - 1).equals(state))) {
                states.add(state);
            }
        }
        return states;
    }

    void showStates(String id) throws ApiException {
        List<String> states = states(id);
        remark("states: " + String.join(" → ", states), "经过的状态：" + String.join(" → ", states));
    }

    /** Every machine that a simulated platform ever gave us. */
    List<JsonNode> instances(String platform) {
        List<JsonNode> all = new ArrayList<>();
        simulators.get("/_sim/" + platform + "/instances").forEach(all::add);
        return all;
    }

    /** Machines that are still there, on all platforms. */
    int left() {
        return (int) simulators.platforms().stream()
                .flatMap(platform -> instances(platform).stream())
                .filter(SimCommand.Instances::isLeft)
                .count();
    }
}
