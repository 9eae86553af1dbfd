package dev.gpubroker.broker.platform;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Finds what was dropped into {@code lib/}. */
public final class Providers {
    private static final Logger LOG = LoggerFactory.getLogger(Providers.class);
    /** A list of providers that cannot even be read fails again and again. */
    private static final int MOST_FAILURES = 100;

    private Providers() {}

    /** All providers of a service; one that cannot be loaded is named in the log and left out. */
    public static <T> List<T> of(Class<T> service) {
        List<T> found = new ArrayList<>();
        int failures = 0;
        Iterator<T> providers =
                ServiceLoader.load(service, service.getClassLoader()).iterator();
        while (failures < MOST_FAILURES && providers.hasNext()) {
            try {
                found.add(providers.next());
            } catch (ServiceConfigurationError missing) {
                failures++;
                LOG.warn("left out: {}", missing.getMessage());
            }
        }
        return found;
    }
}
