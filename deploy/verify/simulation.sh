#!/usr/bin/env bash
# The seeded simulation: builds if needed, then whole brokers live through months of bookings, faults and crashes in minutes.
#
#   deploy/verify/simulation.sh                        one seed from the clock
#   deploy/verify/simulation.sh --seed N               that seed again
#   deploy/verify/simulation.sh --minutes 30           seed after seed, a line for each
#   deploy/verify/simulation.sh --plant no-fence       puts a bug into a copy of the broker and sees that it is found
#   deploy/verify/simulation.sh --help                 everything else
#
# Exit code 1: a rule broke; the seed and what had happened are printed.
set -euo pipefail

home=$(cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
module=$home/test-fixtures/verification
lib=$module/target/lib

# Whether a file that goes into the program is newer than it, or there is none yet.
needs_build() {
    local jar
    jar=$(compgen -G "$lib/gpu-broker-verification-*.jar" | head -n 1) || return 0
    [ -n "$(find "$home/pom.xml" "$home/openapi" "$home/adapters" "$home/test-fixtures" "$home/broker" \
        \( -name target -o -name test \) -prune -o -type f -newer "$jar" -print -quit)" ]
}

if needs_build; then
    command -v mvn >/dev/null || { echo "simulation: Maven is missing: install it to build the project" >&2; exit 1; }
    echo "== building (the first time downloads libraries)" >&2
    (cd "$home" && mvn -B -q -pl test-fixtures/verification -am -DskipTests package) >&2 ||
        { echo "simulation: the build failed; see above" >&2; exit 1; }
fi

cd -- "$home"
# shellcheck disable=SC2206
extra=(${GPU_BROKER_JAVA_OPTS:--Xmx768m})
exec java -XX:+UseSerialGC -Dfile.encoding=UTF-8 -Dstdout.encoding=UTF-8 -Duser.timezone=UTC "${extra[@]}" -cp "$lib/*" \
    dev.gpubroker.verification.simulation.SimulationCommand "$@"
