package dev.gpubroker.adapter.spi;

import java.util.Optional;

/** A platform that makes a password for each machine (智星云, AutoDL). It is asked for when it is shown, and never kept. */
public interface SupportsLogin {
    /**
     * Reads the login of one machine of a claim.
     *
     * @param machine its id, as in {@link ClaimStatus.Machine#id()}
     * @return empty if the machine is gone or has no password
     */
    Optional<Login> login(PlatformRef ref, String machine);

    /** A login by password. Its text form leaves the password out. */
    record Login(String user, String password) {
        @Override
        public String toString() {
            return "login of " + user;
        }
    }
}
