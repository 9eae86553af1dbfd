#!/bin/sh
# Becomes the broker's command for jobs: fetches it from GPU_BROKER_URL and runs it with the words that are given, else with those
# of GPU_BROKER_COMMAND, else "lease". Nothing is run that comes from another address: no redirect is followed. No file is left.
set -eu
# Split on purpose: "doctor --ci" is two words.
# shellcheck disable=SC2086
[ "$#" -gt 0 ] || set -- ${GPU_BROKER_COMMAND:-lease}
command -v python3 >/dev/null || { echo "gpu-broker: python3 (3.8 or later) is missing where this job runs" >&2; exit 126; }
# "exec", so that the signals of the CI system reach the command and not a shell that waits for it.
exec python3 -c '
import os, sys, time, urllib.error, urllib.request

def leave(code, why):
    print("gpu-broker: " + why, file=sys.stderr)
    sys.exit(code)

class Stay(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *request):
        return None

if sys.version_info < (3, 8):
    leave(126, "Python 3.8 or later is needed, this is %d.%d" % sys.version_info[:2])
address = os.environ.get("GPU_BROKER_URL", "").rstrip("/")
if not address.startswith(("https://", "http://")):
    leave(64, "GPU_BROKER_URL has to be the address of the broker, https://...")
proxies = [] if os.environ.get("GPU_BROKER_USE_PROXY") else [urllib.request.ProxyHandler({})]
opener = urllib.request.build_opener(Stay, *proxies)
end = time.monotonic() + 30
while True:
    try:
        with opener.open(address + "/cli/gpu-broker", timeout=20) as answer:
            command = answer.read()
        break
    except urllib.error.HTTPError as fault:
        if 300 <= fault.code < 400:
            leave(69, "%s says that it is at %s; if so, set GPU_BROKER_URL to that" % (address, fault.headers.get("Location")))
        why = fault
    except OSError as fault:
        why = fault
    if time.monotonic() > end:
        leave(69, "the broker at %s cannot be reached: %s" % (address, why))
    time.sleep(1)
if not command.startswith(b"#!/usr/bin/env python3\n"):
    leave(69, "what %s serves is not the command of a gpu-broker" % address)
exec(compile(command, address + "/cli/gpu-broker", "exec"), {"__name__": "__main__"})
' "$@"
