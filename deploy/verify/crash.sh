#!/usr/bin/env bash
# The crash test: several brokers, the simulated platforms and one PostgreSQL, each a process of its own, under a load of
# bookings, changes and cancellations. Brokers are killed and frozen at random, the database is killed in the middle, platforms
# lose replies. Afterwards nothing that was acknowledged may be missing, nothing held twice, no machine left. See
# docs/verification.md.
#
#   deploy/verify/crash.sh --minutes 2              load and havoc for two minutes; the checks come on top
#   deploy/verify/crash.sh --seed 7 --brokers 4     the same decisions again, with four brokers
#   deploy/verify/crash.sh --database-gone PT2M     no kills; the database is away for two minutes
set -euo pipefail

home=$(cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
lib=$home/test-fixtures/verification/target/lib

# Whether a file that goes into the programs is newer than they are, or they are not there yet.
needs_build() {
    local jar
    jar=$(compgen -G "$lib/gpu-broker-verification-*.jar" | head -n 1) || return 0
    compgen -G "$home/broker/target/dist/lib/gpu-broker-[0-9]*.jar" >/dev/null || return 0
    [ -n "$(find "$home/pom.xml" "$home/openapi" "$home/adapters" "$home/test-fixtures" "$home/broker" \
        \( -name target -o -name test \) -prune -o -type f -newer "$jar" -print -quit)" ]
}

if needs_build; then
    command -v mvn >/dev/null || { echo "crash: Maven is missing: install it to build the project" >&2; exit 1; }
    echo "crash: building" >&2
    (cd "$home" && mvn -B -q -DskipTests package) || { echo "crash: the build failed; see above" >&2; exit 1; }
fi

if [ -n "${JAVA_HOME:-}" ] && [ -x "$JAVA_HOME/bin/java" ]; then
    java=$JAVA_HOME/bin/java
else
    java=$(command -v java) || { echo "crash: Java is missing; install version 17 or later" >&2; exit 1; }
fi

exec "$java" -Xmx256m -XX:+UseSerialGC -Duser.timezone=UTC -Dfile.encoding=UTF-8 \
    -Dlogback.configurationFile=logback-stderr.xml -cp "$lib/*" \
    dev.gpubroker.verification.crash.CrashCommand --home "$home" "$@"
