package dev.gpubroker.adapter.spi;

import java.util.function.ToIntFunction;

/**
 * How much an order may say about a machine's first boot. Only the adapter knows what it puts around keys and script, so it
 * counts.
 *
 * @param mostBytes of the text as the adapter writes it, before any encoding of the whole
 * @param size counts the bytes of that text for a machine; calls nobody and never throws
 */
public record BootLimit(int mostBytes, ToIntFunction<MachineSpec> size) {
    public boolean allows(MachineSpec machine) {
        return size.applyAsInt(machine) <= mostBytes;
    }

    /** @throws PlatformFault saying what is too long; asked before anything is bought */
    public void check(MachineSpec machine) {
        int bytes = size.applyAsInt(machine);
        if (bytes > mostBytes) {
            throw new PlatformFault(
                    PlatformFault.Kind.BAD_REQUEST,
                    "keys and start-up script take " + bytes + " bytes; the platform takes " + mostBytes);
        }
    }
}
