package dev.gpubroker.broker.identity;

import dev.gpubroker.broker.database.Database;
import dev.gpubroker.broker.http.ApiProblem;
import dev.gpubroker.broker.http.ApiReply;
import dev.gpubroker.broker.http.ApiRequest;
import dev.gpubroker.broker.http.FieldError;
import dev.gpubroker.broker.http.RouteTable;
import dev.gpubroker.broker.http.Routes;
import io.vertx.core.Future;
import java.time.InstantSource;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** {@code /v1/teams}. */
final class TeamRoutes implements Routes {
    private final Database database;
    private final PgTeams teams;
    private final AuditLog audit;
    private final ZoneId zone;
    private final InstantSource wall;

    TeamRoutes(Database database, PgTeams teams, AuditLog audit, ZoneId zone, InstantSource wall) {
        this.database = database;
        this.teams = teams;
        this.audit = audit;
        this.zone = zone;
        this.wall = wall;
    }

    private record Body(String id, String name) {}

    @Override
    public void addTo(RouteTable table) {
        table.on("listTeams", this::listTeams)
                .on("createTeam", this::createTeam)
                .on("deleteTeam", this::deleteTeam);
    }

    private Future<ApiReply> listTeams(ApiRequest request) {
        return teams.list(database.pool())
                .map(all ->
                        ApiReply.ok(Map.of("items", all.stream().map(this::json).toList())));
    }

    private Future<ApiReply> createTeam(ApiRequest request) {
        Body body = request.bodyAs(Body.class);
        List<FieldError> errors = new ArrayList<>();
        Fields.checkText("name", body.name(), errors);
        Fields.refuse(errors);
        PgTeams.Team team = new PgTeams.Team(body.id(), body.name(), wall.instant());
        return database.inTransaction(connection -> teams.insert(connection, team)
                        .compose(made -> made ? Future.succeededFuture() : Future.failedFuture(idTaken(team.id())))
                        .compose(done -> audit.add(
                                connection,
                                team.createdAt(),
                                team.id(),
                                request.caller().name(),
                                "team_created",
                                team.id(),
                                null)))
                .map(done -> ApiReply.created("/v1/teams/" + team.id(), json(team)));
    }

    private Future<ApiReply> deleteTeam(ApiRequest request) {
        String id = request.path("id");
        if (id.equals(request.caller().team())) {
            throw inUse();
        }
        return database.inTransaction(connection -> teams.delete(connection, id)
                        .compose(gone -> gone
                                ? audit.add(
                                        connection,
                                        wall.instant(),
                                        id,
                                        request.caller().name(),
                                        "team_removed",
                                        id,
                                        null)
                                : Future.failedFuture(Fields.notFound("team", "团队", id))))
                .map(done -> ApiReply.noContent())
                .recover(fault -> Future.failedFuture(PgTeams.isReferred(fault) ? inUse() : fault));
    }

    private Map<String, Object> json(PgTeams.Team team) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("id", team.id());
        json.put("name", team.name());
        json.put("createdAt", Fields.time(team.createdAt(), zone));
        return json;
    }

    private static ApiProblem idTaken(String id) {
        return new ApiProblem(409, "name_taken", "There is a team " + id + " already.", "已存在团队 " + id + "。");
    }

    private static ApiProblem inUse() {
        return new ApiProblem(
                409,
                "team_in_use",
                "The team has reservations, pools, tokens or trust rules, or is your own: it stays, since they refer to it.",
                "该团队仍有预订、资源池、令牌或信任规则，或是您自己的团队，因此不能删除。");
    }
}
