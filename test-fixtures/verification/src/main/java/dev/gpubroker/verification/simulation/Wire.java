package dev.gpubroker.verification.simulation;

import dev.gpubroker.simulator.SimRequest;
import dev.gpubroker.simulator.SimWatcher;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Sees what reaches the platforms, and looks into the ledger at that very moment: what is bought must stand there already,
 * must be allowed, and must never come twice.
 */
final class Wire implements SimWatcher {
    private static final Pattern KEY = Pattern.compile("gb-[a-z0-9]{8}-[a-z0-9]{26}-\\d+-\\d+-[0-9a-f]{8}");

    private final Sql ledger;
    private final Map<String, Integer> sent = new ConcurrentHashMap<>();
    private final Set<String> ofOthers = ConcurrentHashMap.newKeySet();
    private final AtomicReference<@Nullable Broken> broken = new AtomicReference<>();
    private final AtomicReference<@Nullable Consumer<String>> onClaim = new AtomicReference<>();
    private volatile boolean paused;

    Wire(Sql ledger) {
        this.ledger = ledger;
    }

    @Override
    public void received(String platform, Set<String> operations, SimRequest request) {
        if (!operations.contains("claim")) {
            return;
        }
        String text = request.text();
        Matcher matcher = KEY.matcher(decoded(request.rawQuery()) + "\n" + text + "\n" + decoded(text));
        if (!matcher.find()) {
            return;
        }
        String key = matcher.group();
        if (ofOthers.contains(key)) {
            return;
        }
        look(platform, key);
        Consumer<String> act = onClaim.getAndSet(null);
        if (act != null) {
            act.accept(key);
        }
    }

    private static String decoded(String text) {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException notEncoded) {
            return text;
        }
    }

    private void look(String platform, String key) {
        int times = sent.merge(key, 1, Integer::sum);
        if (times > 1) {
            breaks("a claim is sent once", key + " reached " + platform + " " + times + " times");
        }
        Optional<Boolean> marked = ledger.find(
                "SELECT arrives_by IS NOT NULL AS marked FROM claim WHERE claim_key = ?",
                row -> row.getBoolean("marked"),
                key);
        if (!marked.orElse(false)) {
            breaks(
                    "an intent is committed before the platform is called",
                    key + (marked.isEmpty() ? " is not in the ledger" : " is not marked as sent") + " when it reaches "
                            + platform);
        }
        if (paused) {
            breaks("nothing is bought while buying is paused", key + " reached " + platform);
        }
        if (ledger.find(
                        "SELECT 1 FROM account JOIN claim USING (account_id) WHERE claim_key = ? AND stopped_why IS NOT NULL",
                        row -> 1,
                        key)
                .isPresent()) {
            breaks("nothing is bought on a stopped account", key + " reached " + platform);
        }
    }

    private void breaks(String rule, String detail) {
        broken.compareAndSet(null, new Broken(rule, detail));
    }

    /** Claims of somebody else than the broker: the simulation's own. */
    void expect(String key) {
        ofOthers.add(key);
    }

    /** True once a pause has been answered and what was under way before has settled. */
    void paused(boolean now) {
        paused = now;
    }

    /** What happens, once, at the moment at which the next claim has reached its platform and nothing has come of it yet. */
    void atNextClaim(Consumer<String> act) {
        onClaim.set(act);
    }

    /** @return whether it had not happened */
    boolean forget() {
        return onClaim.getAndSet(null) != null;
    }

    void check() {
        Broken first = broken.get();
        if (first != null) {
            throw first;
        }
    }
}
