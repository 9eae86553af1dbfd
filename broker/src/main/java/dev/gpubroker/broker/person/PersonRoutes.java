package dev.gpubroker.broker.person;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.gpubroker.broker.http.ApiProblem;
import dev.gpubroker.broker.http.ApiReply;
import dev.gpubroker.broker.http.ApiRequest;
import dev.gpubroker.broker.http.RouteTable;
import dev.gpubroker.broker.http.Routes;
import dev.gpubroker.broker.request.MachineWish;
import dev.gpubroker.broker.request.RequestJson;
import dev.gpubroker.broker.request.RequestReader;
import dev.gpubroker.broker.request.TimeZones;
import io.vertx.core.Future;
import java.time.InstantSource;
import java.time.ZoneId;
import org.jspecify.annotations.Nullable;

/** {@code /v1/me}. */
public final class PersonRoutes implements Routes {
    private final PgPersons persons;
    private final InstantSource clock;

    public PersonRoutes(PgPersons persons, InstantSource clock) {
        this.persons = persons;
        this.clock = clock;
    }

    @Override
    public void addTo(RouteTable table) {
        table.on("readMe", this::readMe).on("writeMe", this::writeMe);
    }

    private Future<ApiReply> readMe(ApiRequest request) {
        return persons.read(request.caller().team(), request.caller().name()).map(PersonRoutes::shown);
    }

    /** Replaces everything; what is left out is not wanted any more. */
    private Future<ApiReply> writeMe(ApiRequest request) {
        ObjectNode body = request.object();
        JsonNode machine = body.get("machine");
        Person person = new Person(
                request.caller().team(),
                request.caller().name(),
                machine instanceof ObjectNode fields ? RequestReader.machine(fields) : MachineWish.none(),
                zone(body.get("timeZone")));
        return persons.write(person, clock.instant()).map(done -> shown(person));
    }

    private static @Nullable ZoneId zone(@Nullable JsonNode said) {
        if (said == null || said.isNull()) {
            return null;
        }
        return TimeZones.named(said.asText())
                .orElseThrow(() -> new ApiProblem(
                        400,
                        "time_zone_unknown",
                        "timeZone is no IANA zone such as Asia/Shanghai.",
                        "timeZone 不是 Asia/Shanghai 这样的 IANA 时区名称。"));
    }

    private static ApiReply shown(Person person) {
        ZoneId zone = person.timeZone();
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("team", person.team());
        json.put("name", person.name());
        json.put("timeZone", zone == null ? null : zone.getId());
        json.set("machine", RequestJson.machine(person.machine()));
        return ApiReply.ok(json);
    }
}
