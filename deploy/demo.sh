#!/usr/bin/env bash
# The demo: builds if needed, starts a broker with simulated platforms and a database of its own, books "8×A100 for 5 days from
# the 20th", and plays what can go wrong: sold out, a lost reply, a crash. Nothing is bought anywhere and no account is used.
#
#   deploy/demo.sh             plays it, then stays up to be looked at
#   deploy/demo.sh --once      ends after it; exit code 0 if all of it came true
#   deploy/demo.sh --port N    the broker's port (8080); N+1 is the simulators' control
set -euo pipefail

home=$(cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
port=8080
once=false

usage() {
    sed -n '2,8s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
}

fail() {
    echo "demo: $*" >&2
    exit 1
}

while [ $# -gt 0 ]; do
    case $1 in
        --once) once=true ;;
        --port)
            [ $# -ge 2 ] || fail "--port needs a number"
            port=$2
            shift
            ;;
        --port=*) port=${1#--port=} ;;
        -h | --help)
            usage
            exit 0
            ;;
        *) fail "unknown argument '$1'; there are --once and --port N" ;;
    esac
    shift
done
[[ $port =~ ^[1-9][0-9]{0,4}$ ]] && [ "$port" -le 65534 ] || fail "--port must be a number from 1 to 65534, not '$port'"

say() { printf '\n== %s\n' "$*"; }

# ---- build --------------------------------------------------------------------------------------------------------------

lib=$home/broker/target/dist/lib

# Whether a file that goes into the program is newer than it, or there is none yet.
needs_build() {
    local jar
    jar=$(compgen -G "$lib/gpu-broker-[0-9]*.jar" | head -n 1) || return 0
    [ -n "$(find "$home/pom.xml" "$home/openapi" "$home/adapters" "$home/test-fixtures" "$home/broker" \
        \( -name target -o -name test \) -prune -o -type f -newer "$jar" -print -quit)" ]
}

if [ ! -f "$home/pom.xml" ]; then
    [ -d "$home/lib" ] || fail "there is neither a checkout nor an unpacked build around $home"
elif needs_build; then
    command -v mvn >/dev/null || fail "Maven is missing: install it to build the project"
    say "building (the first time downloads libraries)"
    (cd "$home" && mvn -B -q -DskipTests package) || fail "the build failed; see above"
fi

# ---- a broker of our own ------------------------------------------------------------------------------------------------

listens() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

for taken in "$port" "$((port + 1))"; do
    ! listens "$taken" || fail "port $taken is taken: stop what listens there, or choose another with --port N (N and N+1 are used)"
done

data=$(mktemp -d "${TMPDIR:-/tmp}/gpu-broker-demo.XXXXXX")
log=$data/broker.log
broker=
passed=false
patience=240 # Seconds that a broker may take to be ready; a shared machine needs more than a minute.

# Nothing of the caller's own set-up may reach the demo: it books on simulators only.
while IFS= read -r name; do
    case $name in
        GPU_BROKER_JAVA_OPTS | GPU_BROKER_LANG) ;;
        *) unset "$name" ;;
    esac
done < <(compgen -e | grep '^GPU_BROKER_' || true)
export GPU_BROKER_DATA=$data GPU_BROKER_PORT=$port GPU_BROKER_URL=http://127.0.0.1:$port
export GPU_BROKER_SIMULATORS=true GPU_BROKER_DEMO_CLOCK=true GPU_BROKER_TIME_ZONE=Asia/Shanghai

# The embedded PostgreSQL outlives a broker that was killed.
stop_database() {
    local pid
    [ -f "$data/postgres/postmaster.pid" ] || return 0
    pid=$(head -n 1 "$data/postgres/postmaster.pid")
    [[ $pid =~ ^[0-9]+$ ]] || return 0
    kill -INT "$pid" 2>/dev/null || return 0
    wait_gone "$pid" 20 || kill -QUIT "$pid" 2>/dev/null || true
}

wait_gone() {
    local rounds=$(($2 * 10))
    while kill -0 "$1" 2>/dev/null; do
        [ $((rounds -= 1)) -gt 0 ] || return 1
        sleep 0.1
    done
}

stop_broker() {
    [ -n "$broker" ] || return 0
    if kill -TERM "$broker" 2>/dev/null; then
        wait_gone "$broker" 30 || kill -KILL "$broker" 2>/dev/null || true
    fi
    wait "$broker" 2>/dev/null || true
    broker=
}

# The end of the broker's log without the frames of stack traces: what is said stands before them.
show_log() {
    [ -s "$log" ] || return 0
    echo "demo: the end of the broker's log:" >&2
    { grep -vE '^[[:space:]]+(at |\.\.\. [0-9]+ more)' "$log" || true; } | tail -n 40 | sed 's/^/    /' >&2
}

cleanup() {
    local code=$?
    trap - EXIT INT TERM
    if ! $passed; then
        [ "$code" -ge 128 ] || show_log # A signal is its own reason.
        echo "demo: did not come to its end" >&2
        [ "$code" -ne 0 ] || code=1
    fi
    stop_broker
    stop_database
    rm -rf -- "$data"
    exit "$code"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# One line of an answer to GET, by bash alone: the status line.
status_of() {
    local line=
    exec 3<>"/dev/tcp/127.0.0.1/$port" || return 1
    printf 'GET %s HTTP/1.1\r\nHost: 127.0.0.1:%s\r\nConnection: close\r\n\r\n' "$1" "$port" >&3
    IFS= read -r -t 5 line <&3 || true
    exec 3<&- 3>&-
    printf '%s' "${line%$'\r'}"
}

start_broker() {
    local begun=$SECONDS
    echo "\$ deploy/gpu-broker serve &"
    "$home/deploy/gpu-broker" serve >>"$log" 2>&1 &
    broker=$!
    until [[ $(status_of /readyz 2>/dev/null) == *' 200 '* ]]; do
        kill -0 "$broker" 2>/dev/null || fail "the broker ended instead of coming up"
        [ $((SECONDS - begun)) -lt "$patience" ] || fail "the broker was not ready within $patience s"
        sleep 0.3
    done
    echo "ready at http://127.0.0.1:$port after $SECONDS s"
}

play() {
    "$home/deploy/gpu-broker" demo "$1" || fail "the part '$1' did not come true"
}

say "starting the broker, its database and the simulators; data in $data"
start_broker
play walk

say "4. The broker is killed while a reservation is active / 预订使用中时 broker 被杀死"
echo "\$ kill -9 $broker"
kill -KILL "$broker"
wait "$broker" 2>/dev/null || true
start_broker
play recovery

passed=true
say "All of it came true, in $SECONDS s."
if ! $once; then
    cat <<END

The broker stays up; Ctrl-C ends it and removes its data.
  calendar    http://127.0.0.1:$port/
  API         http://127.0.0.1:$port/docs
  simulators  http://127.0.0.1:$((port + 1))/_sim
  try         export GPU_BROKER_URL=$GPU_BROKER_URL GPU_BROKER_DATA=$data
              $home/deploy/gpu-broker book "8×RTX4090 for 3 days from tomorrow"
END
    wait "$broker" || true
fi
