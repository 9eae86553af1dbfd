package dev.gpubroker.broker.http;

/** The HTTP side of one package: names the operations it answers. Holds no rules. */
@FunctionalInterface
public interface Routes {
    void addTo(RouteTable table);
}
