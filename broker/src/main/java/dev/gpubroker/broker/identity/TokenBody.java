package dev.gpubroker.broker.identity;

import dev.gpubroker.broker.http.FieldError;
import dev.gpubroker.broker.http.Scope;
import dev.gpubroker.broker.http.TimeBounds;
import dev.gpubroker.broker.stored.Ids;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A token as it is asked for; {@link #toToken} says what is wrong with it, or makes it. Pure. */
record TokenBody(
        String name,
        String team,
        List<Scope> scopes,
        Cap.@Nullable Body cap,
        @Nullable String expiresAt) {

    /** @throws dev.gpubroker.broker.http.ApiProblem 400 with every field at fault */
    ApiToken toToken(String by, Instant now) {
        List<FieldError> errors = new ArrayList<>();
        Fields.checkText("name", name, errors);
        Cap most = cap == null ? null : cap.checked("cap", errors);
        Set<Scope> granted = EnumSet.copyOf(scopes);
        if (cap != null && (!granted.contains(Scope.BOOK) || granted.contains(Scope.ADMIN))) {
            errors.add(new FieldError(
                    "cap",
                    "conflict",
                    "limits the scope book; an administrator's token has no cap",
                    "仅用于限制 book 权限；管理员令牌没有上限"));
        }
        Instant end = expiresAt == null ? null : end(expiresAt, now, errors);
        Fields.refuse(errors);
        return new ApiToken(Ids.next("tok", now), team, name, granted, most, by, now, end);
    }

    private static @Nullable Instant end(String text, Instant now, List<FieldError> errors) {
        try {
            Instant end = OffsetDateTime.parse(text).toInstant();
            if (end.isAfter(now) && TimeBounds.hold(end)) {
                return end;
            }
        } catch (DateTimeException notOne) {
            // Told below, as a time that does not lie ahead.
        }
        errors.add(new FieldError(
                "expiresAt",
                "format",
                "must be a time with an offset that lies in the future, as 2026-12-20T00:00:00+08:00",
                "必须是带时区偏移的将来时间，例如 2026-12-20T00:00:00+08:00"));
        return null;
    }
}
