#!/usr/bin/env bash
# Benchmarks of the broker as a process; one line of JSON per figure. docs/benchmarks.md says what each measures.
#
#   deploy/bench.sh              all of them
#   deploy/bench.sh book search  those named
#   deploy/bench.sh --help       the other options
set -euo pipefail

home=$(cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
lib=$home/test-fixtures/verification/target/lib

fail() {
    echo "bench: $*" >&2
    exit 2
}

# Whether a file that goes into the program is newer than it, or there is none yet.
needs_build() {
    local jar
    jar=$(compgen -G "$lib/gpu-broker-verification-[0-9]*.jar" | head -n 1) || return 0
    [ -n "$(find "$home/pom.xml" "$home/openapi" "$home/adapters" "$home/test-fixtures" "$home/broker" \
        \( -name target -o -name test \) -prune -o -type f -newer "$jar" -print -quit)" ]
}

[ -f "$home/pom.xml" ] || fail "benchmarks run from a checkout; there is none around $home"
if needs_build; then
    command -v mvn >/dev/null || fail "Maven is missing: install it to build the project"
    echo "bench: building (the first time downloads libraries)" >&2
    (cd "$home" && mvn -B -q -DskipTests package) >&2 || fail "the build failed; see above"
fi

# The generator shares the machine with what it measures, so it is kept small.
exec java -Xmx512m -XX:+UseSerialGC -Duser.timezone=UTC -cp "$lib/*" dev.gpubroker.verification.bench.Bench --home "$home" "$@"
