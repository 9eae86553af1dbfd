package dev.gpubroker.broker.platform;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.gpubroker.adapter.spi.Shape;
import dev.gpubroker.broker.catalogue.PlatformProfile;
import dev.gpubroker.broker.catalogue.PlatformProfiles;
import dev.gpubroker.broker.http.ApiProblem;
import dev.gpubroker.broker.http.ApiReply;
import dev.gpubroker.broker.http.ApiRequest;
import dev.gpubroker.broker.http.RouteTable;
import dev.gpubroker.broker.http.Routes;
import dev.gpubroker.broker.inventory.Snapshot.AccountView;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Function;

/** {@code GET /v1/platforms}: those on which we have accounts, by what their adapters state, and those of the catalogue. */
public final class PlatformRoutes implements Routes {
    private final Platforms platforms;
    private final PlatformProfiles profiles;

    public PlatformRoutes(Platforms platforms, PlatformProfiles profiles) {
        this.platforms = platforms;
        this.profiles = profiles;
    }

    /** Ids of the platforms on which we have an account and which list an exact model, sorted. */
    public static Function<String, List<String>> sellers(Platforms platforms) {
        return model -> platforms.accounts().stream()
                .filter(account -> account.capabilities().shapes().stream()
                        .map(Shape::flavor)
                        .anyMatch(flavor -> flavor.model().equals(model)))
                .map(AccountView::platform)
                .distinct()
                .sorted()
                .toList();
    }

    /** Ids of all platforms that are known, with an account or without, {@code pool} among them. */
    public static SortedSet<String> ids(Platforms platforms, PlatformProfiles profiles) {
        SortedSet<String> ids = new TreeSet<>();
        profiles.all().forEach(profile -> ids.add(profile.id()));
        platforms.accounts().forEach(account -> ids.add(account.platform()));
        return ids;
    }

    @Override
    public void addTo(RouteTable table) {
        table.on("listPlatforms", this::listPlatforms).on("readPlatform", this::readPlatform);
    }

    private Future<ApiReply> listPlatforms(ApiRequest request) {
        List<ObjectNode> items = new ArrayList<>();
        ids(platforms, profiles).forEach(id -> items.add(summary(id)));
        return Future.succeededFuture(ApiReply.ok(Map.of("items", items)));
    }

    private Future<ApiReply> readPlatform(ApiRequest request) {
        String id = request.path("id");
        List<AccountView> accounts = accountsOn(id);
        if (accounts.isEmpty() && profiles.find(id).isEmpty()) {
            throw new ApiProblem(
                    404,
                    "not_found",
                    "There is no platform " + id + ". GET /v1/platforms has all.",
                    "没有平台 " + id + "。全部平台见 GET /v1/platforms。");
        }
        ObjectNode json = summary(id);
        PlatformJson.putShapes(
                json,
                accounts.isEmpty() ? List.of() : accounts.get(0).capabilities().shapes());
        profiles.find(id).ifPresent(profile -> json.set("profile", PlatformJson.profile(profile)));
        return Future.succeededFuture(ApiReply.ok(json));
    }

    private List<AccountView> accountsOn(String platform) {
        return platforms.accounts().stream()
                .filter(account -> account.platform().equals(platform))
                .toList();
    }

    /** By one of our accounts where there is one; a platform of the catalogue alone sells us nothing yet. */
    private ObjectNode summary(String id) {
        List<AccountView> accounts = accountsOn(id);
        if (!accounts.isEmpty()) {
            return PlatformJson.ofAccounts(accounts);
        }
        PlatformProfile profile = profiles.find(id).orElse(null);
        return PlatformJson.ofProfile(Objects.requireNonNull(profile, id));
    }
}
