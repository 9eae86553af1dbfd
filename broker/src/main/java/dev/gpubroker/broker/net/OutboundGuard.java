package dev.gpubroker.broker.net;

import io.vertx.core.Future;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.URI;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Checks an address that a user named, and pins it: the name is asked for once, every answer is checked, and the caller then
 * connects to the very address that was checked. A name that answers differently a moment later changes nothing.
 */
public final class OutboundGuard {
    private static final long LONGEST_LOOKUP_SECONDS = 5;

    private final Resolver resolver;
    private final Supplier<OutboundRules> rules;

    /** @param rules as the settings have them now */
    public OutboundGuard(Resolver resolver, Supplier<OutboundRules> rules) {
        this.resolver = resolver;
        this.rules = rules;
    }

    /** A URL with the address that was checked. */
    record Checked(URI url, InetAddress address) {}

    /** Fails with {@link RefusedAddress} if the URL may not be called as things are now. */
    public Future<Void> check(URI url) {
        return resolve(url, 0).mapEmpty();
    }

    /** @param turn of several addresses the next is taken on each try, so that a dead one is not tried for ever */
    Future<Checked> resolve(URI url, int turn) {
        OutboundRules now = rules.get();
        RefusedAddress wrong = now.whyNot(url).orElse(null);
        if (wrong != null) {
            return Future.failedFuture(wrong);
        }
        String host = url.getHost().replaceAll("^\\[|]$", "");
        return resolver.resolve(host)
                .timeout(LONGEST_LOOKUP_SECONDS, TimeUnit.SECONDS)
                .recover(fault -> Future.failedFuture(
                        new RefusedAddress("the name " + host + " has no address now", "主机名 " + host + " 目前无法解析")))
                .map(found -> new Checked(url, pick(now, found, turn)));
    }

    /** One forbidden answer among good ones is an attack or a mistake, so the name is refused as a whole. */
    private static InetAddress pick(OutboundRules rules, List<InetAddress> found, int turn) {
        if (found.isEmpty() || !found.stream().allMatch(rules::allows)) {
            throw new RefusedAddress(
                    "the host's address is not public, and its network is not allowed", "主机地址不是公网地址，所在网络也未被允许");
        }
        // Hosts without IPv6 are more common than hosts without IPv4.
        List<InetAddress> sorted = found.stream()
                .sorted(Comparator.comparing(address -> address instanceof Inet6Address))
                .toList();
        return sorted.get(Math.floorMod(turn, sorted.size()));
    }
}
