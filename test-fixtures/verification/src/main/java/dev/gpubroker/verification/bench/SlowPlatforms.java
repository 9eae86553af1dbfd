package dev.gpubroker.verification.bench;

import dev.gpubroker.adapter.spi.AccountSettings;
import dev.gpubroker.adapter.spi.AdapterFactory;
import dev.gpubroker.adapter.spi.PlatformAdapter;
import java.util.List;

/** Twelve platforms for {@code fan-out}: a service loader wants a class for each. */
public final class SlowPlatforms {
    static final List<Class<? extends AdapterFactory>> ALL = List.of(
            P01.class, P02.class, P03.class, P04.class, P05.class, P06.class, P07.class, P08.class, P09.class,
            P10.class, P11.class, P12.class);

    private SlowPlatforms() {}

    private abstract static class Numbered implements AdapterFactory {
        /** Such as {@code slow-p01}. */
        @Override
        public final String platform() {
            return nameOf(getClass());
        }

        @Override
        public final List<String> credentialNames() {
            return List.of();
        }

        @Override
        public final List<String> defaultRegions() {
            return List.of("here");
        }

        @Override
        public final PlatformAdapter create(AccountSettings settings) {
            return new SlowPlatform(platform(), settings);
        }
    }

    static String nameOf(Class<?> factory) {
        return "slow-" + factory.getSimpleName().toLowerCase(java.util.Locale.ROOT);
    }

    public static final class P01 extends Numbered {}

    public static final class P02 extends Numbered {}

    public static final class P03 extends Numbered {}

    public static final class P04 extends Numbered {}

    public static final class P05 extends Numbered {}

    public static final class P06 extends Numbered {}

    public static final class P07 extends Numbered {}

    public static final class P08 extends Numbered {}

    public static final class P09 extends Numbered {}

    public static final class P10 extends Numbered {}

    public static final class P11 extends Numbered {}

    public static final class P12 extends Numbered {}
}
