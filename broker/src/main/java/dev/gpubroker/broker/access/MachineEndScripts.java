package dev.gpubroker.broker.access;

import dev.gpubroker.broker.booking.EndScripts;
import dev.gpubroker.broker.booking.Reservation;
import dev.gpubroker.broker.booking.ReservationState;
import dev.gpubroker.broker.catalogue.DeviceVariables;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Runs the scripts of reservations' ends by SSH. A script runs beside the login that began it; a folder on the machine says that
 * it has begun and how it ended, so that a lost connection or another broker changes nothing.
 */
final class MachineEndScripts implements EndScripts {
    private static final int AT_ONCE = 8;
    private static final int LONGEST_LINE = 300;

    private static final String HEAD = """
            dir="$HOME/.gpu-broker/at-end-%s"
            tell() { printf '%%s %%s\\n' "$1" "$(cat "$dir/ended")"; grep -v '^[[:space:]]*$' "$dir/said" | tail -n 1; }
            await() { n=0; while [ ! -f "$dir/ended" ] && [ $n -lt "$1" ]; do sleep 0.2 || sleep 1; n=$((n+1)); done; }
            """;

    /** Most hooks are short, so the login that begins one waits for it a moment. */
    private static final String RUN = HEAD + """
            mkdir -p "$HOME/.gpu-broker" || exit 1
            if mkdir -m 700 "$dir" 2>/dev/null; then
              cat >"$dir/hook"
              (
                trap '' HUP
                cd "$HOME"
                began=$(date +%%s)
                limit='timeout -k 5 %d'
                command -v timeout >/dev/null || limit=
                GPU_BROKER_AT_END=%s %s $limit sh "$dir/hook" </dev/null >/dev/null 2>"$dir/said" &
                echo $! >"$dir/pid"
                wait $!
                echo "$? $(($(date +%%s) - began))" >"$dir/ended.new"
                mv "$dir/ended.new" "$dir/ended"
                rm -f "$dir/hook"
              ) </dev/null >/dev/null 2>&1 &
              await 15
            fi
            if [ -f "$dir/ended" ]; then tell ended; else echo running; fi
            exit 0
            """;

    /** Also what it has left in the background, told by a variable that all of it inherits. */
    private static final String STOP = HEAD + """
            [ -d "$dir" ] || { echo none; exit 0; }
            theirs() { grep -lsz '^GPU_BROKER_AT_END=%s$' /proc/[0-9]*/environ | cut -d/ -f3; }
            how=stopped
            [ ! -f "$dir/ended" ] || how=ended
            for signal in TERM TERM TERM KILL KILL; do
              left=$(theirs)
              [ -n "$left" ] || break
              kill -s "$signal" $left 2>/dev/null
              sleep 1
            done
            await 10
            if [ -f "$dir/ended" ]; then tell "$how"; else echo "$how" 137 0; fi
            """;

    /** Once the machine is the next one's. */
    private static final String CLEAR = STOP + "rm -rf \"$dir\"\n";

    private final PgMachines machines;
    private final MachineReadiness readiness;
    private final DeviceVariables variables;
    private final @Nullable RemoteCommand remote;
    private final WorkerExecutor workers;

    /** @param remote null where the broker was given no key */
    MachineEndScripts(
            Vertx vertx,
            PgMachines machines,
            MachineReadiness readiness,
            DeviceVariables variables,
            @Nullable RemoteCommand remote) {
        this.machines = machines;
        this.readiness = readiness;
        this.variables = variables;
        this.remote = remote;
        this.workers = vertx.createSharedWorkerExecutor("end-scripts", AT_ONCE);
    }

    @Override
    public boolean areRun() {
        return remote != null;
    }

    @Override
    public Future<List<Look>> look(Reservation r, Script script, Set<String> settled) {
        return all(
                r,
                settled,
                machine -> RUN.formatted(
                        script.mark(),
                        Math.max(1, script.longest().toSeconds()),
                        script.mark(),
                        variables.of(machine.model(), machine.gpus()).entrySet().stream()
                                .map(each -> each.getKey() + "=" + each.getValue())
                                .collect(Collectors.joining(" "))),
                script.text());
    }

    @Override
    public Future<List<Look>> stop(Reservation r, Script script, Set<String> settled) {
        String stop = r.state() == ReservationState.ACTIVE ? STOP : CLEAR;
        return all(r, settled, machine -> stop.formatted(script.mark(), script.mark()), "");
    }

    @FunctionalInterface
    private interface Command {
        String on(Machine machine);
    }

    private Future<List<Look>> all(Reservation r, Set<String> settled, Command command, String input) {
        Future<List<Machine>> found = r.state() == ReservationState.ACTIVE
                ? machines.held(r)
                : machines.ownNodes(
                        r.nodes().stream().map(Reservation.AssignedNode::id).toList());
        return found.compose(held -> Future.all(one(held).stream()
                        .filter(machine -> !settled.contains(machine.nodeId()))
                        .map(machine -> workers.executeBlocking(() -> look(machine, command.on(machine), input), false))
                        .toList())
                .map(looks -> looks.<Look>list()));
    }

    /** A reservation may have several rectangles on one machine, whose GPUs are then said together. */
    private static List<Machine> one(List<Machine> held) {
        Map<String, Machine> byNode = new LinkedHashMap<>();
        held.forEach(machine -> byNode.merge(machine.nodeId(), machine, (some, more) -> {
            List<Integer> gpus = new ArrayList<>(some.gpus());
            gpus.addAll(more.gpus());
            return some.withGpus(gpus);
        }));
        return List.copyOf(byNode.values());
    }

    private Look look(Machine machine, String command, String input) throws InterruptedException {
        String host = machine.login().host();
        if (remote == null || host == null) {
            return unreachable(machine, remote == null ? "the broker has no key" : "no address of it is known");
        }
        try {
            return read(machine, remote.run(machine, readiness.reachOf(machine).resolve(host), command, input));
        } catch (IOException | IllegalArgumentException refused) {
            return unreachable(machine, String.valueOf(refused.getMessage()));
        }
    }

    private static Look unreachable(Machine machine, String why) {
        return new Look(machine.nodeId(), machine.name(), State.UNREACHABLE, 0, 0, oneLine(why));
    }

    private static Look read(Machine machine, String answer) {
        List<String> lines = answer.lines().toList();
        String[] words = (lines.isEmpty() ? "" : lines.get(0)).split(" ");
        String said = lines.size() < 2 ? "" : oneLine(lines.get(1));
        switch (words[0]) {
            case "none":
                return new Look(machine.nodeId(), machine.name(), State.NONE, 0, 0, "");
            case "running":
                return new Look(machine.nodeId(), machine.name(), State.RUNNING, 0, 0, "");
            case "ended":
            case "stopped":
                State state = words[0].equals("ended") ? State.ENDED : State.STOPPED;
                return words.length == 3 && words[1].matches("\\d{1,3}") && words[2].matches("\\d{1,9}")
                        ? new Look(
                                machine.nodeId(),
                                machine.name(),
                                state,
                                Integer.parseInt(words[1]),
                                Long.parseLong(words[2]),
                                said)
                        : unreachable(machine, "its answer cannot be read");
            default:
                return unreachable(machine, "its answer cannot be read");
        }
    }

    /** What a machine says goes into an event that people read. */
    private static String oneLine(String said) {
        String line = said.replaceAll("\\p{Cntrl}", " ").strip();
        return line.substring(0, Math.min(LONGEST_LINE, line.length()));
    }
}
