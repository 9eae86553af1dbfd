package dev.gpubroker.adapter.spi;

/** A part of {@link MachineSpec} that a platform's order takes or does not take. */
public enum MachineOption {
    IMAGE("image of one's own choice"),
    FRAMEWORKS("image with a framework"),
    SSH_KEYS("SSH keys"),
    STARTUP_SCRIPT("start-up script"),
    DATA_DISK("data disk"),
    PUBLIC_IP("public address of a machine's own");

    private final String words;

    MachineOption(String words) {
        this.words = words;
    }

    /** For a person, as in "it takes no …". */
    public String words() {
        return words;
    }
}
