package dev.gpubroker.broker.trigger;

import java.net.URI;

/**
 * What is run on the machine to put a runner there that takes one job and ends. The secret comes on the standard input and goes
 * on by the environment, since arguments can be read by everybody on the machine. Fetching a runner may take minutes, so it
 * goes on after the login has ended; jobs wait for it.
 */
final class RunnerScript {
    private RunnerScript() {}

    /**
     * Ends whatever the runner and its job have started, told by a variable that all of them inherit, and removes its folder.
     * Not by a process id, since that may be another's by now.
     */
    static String end(String name) {
        return """
                set -u
                theirs() { grep -lsz '^GPU_BROKER_RUNNER=%1$s$' /proc/[0-9]*/environ | cut -d/ -f3; }
                for signal in TERM TERM TERM TERM TERM KILL KILL; do
                    left=$(theirs)
                    [ -n "$left" ] || break
                    kill -s "$signal" $left 2>/dev/null
                    sleep 2
                done
                rm -rf "${HOME:-/root}/.gpu-broker/%1$s"
                [ -z "$(theirs)" ] || { echo "it does not end: $(theirs | tr '\\n' ' ')" >&2; exit 1; }
                """.formatted(name);
    }

    private static String quoted(URI server) {
        return server.toString().replace("'", "'\\''");
    }

    /** @param name of the runner; a folder of that name keeps what it writes */
    static String github(String name) {
        return """
                set -eu
                umask 077
                IFS= read -r config
                home="${HOME:-/root}/.gpu-broker/%1$s"
                mkdir -p "$home"
                cd "$home"
                if [ ! -x /opt/actions-runner/run.sh ] && [ ! -x ./run.sh ] && ! command -v curl >/dev/null; then
                    echo "the machine has neither a runner nor curl to fetch one" >&2
                    exit 1
                fi
                export GPU_BROKER_RUNNER=%1$s
                ACTIONS_RUNNER_INPUT_JITCONFIG="$config" RUNNER_ALLOW_RUNASROOT=1 nohup setsid sh -ec '
                    if [ -x /opt/actions-runner/run.sh ]; then
                        cp -R /opt/actions-runner/. .
                    elif [ ! -x ./run.sh ]; then
                        case "$(uname -m)" in aarch64 | arm64) arch=arm64 ;; *) arch=x64 ;; esac
                        newest=$(curl -fsSL --retry 5 -o /dev/null -w "%%{url_effective}" https://github.com/actions/runner/releases/latest)
                        version=${newest##*/v}
                        curl -fsSL --retry 5 "https://github.com/actions/runner/releases/download/v$version/actions-runner-linux-$arch-$version.tar.gz" | tar xz
                    fi
                    exec ./run.sh' >runner.log 2>&1 </dev/null &
                """.formatted(name);
    }

    static String gitlab(String name, URI server) {
        return """
                set -eu
                umask 077
                IFS= read -r token
                home="${HOME:-/root}/.gpu-broker/%1$s"
                mkdir -p "$home"
                cd "$home"
                if ! command -v gitlab-runner >/dev/null && ! command -v curl >/dev/null; then
                    echo "the machine has neither a runner nor curl to fetch one" >&2
                    exit 1
                fi
                export GPU_BROKER_RUNNER=%1$s
                CI_SERVER_URL='%2$s' CI_SERVER_TOKEN="$token" RUNNER_EXECUTOR=shell nohup setsid sh -ec '
                    runner=$(command -v gitlab-runner || true)
                    if [ -z "$runner" ]; then
                        case "$(uname -m)" in aarch64 | arm64) arch=arm64 ;; *) arch=amd64 ;; esac
                        curl -fsSL --retry 5 -o gitlab-runner "https://gitlab-runner-downloads.s3.amazonaws.com/latest/binaries/gitlab-runner-linux-$arch"
                        chmod u+x gitlab-runner
                        runner=./gitlab-runner
                    fi
                    exec "$runner" run-single --max-builds 1 --wait-timeout 3600' >runner.log 2>&1 </dev/null &
                """.formatted(name, quoted(server));
    }
}
