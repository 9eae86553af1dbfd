package dev.gpubroker.broker.person;

import dev.gpubroker.broker.request.MachineWish;
import java.time.ZoneId;
import org.jspecify.annotations.Nullable;

/** What somebody wants where a booking says nothing. Whoever never said anything has a person all the same. */
public record Person(
        String team,
        String name,
        MachineWish machine,
        @Nullable ZoneId timeZone) {
    static Person unknown(String team, String name) {
        return new Person(team, name, MachineWish.none(), null);
    }
}
