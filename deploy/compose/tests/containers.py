"""Runs the services of compose.yaml that use the image in one pod: containers.py WORK."""

import atexit
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

import yaml

HERE = pathlib.Path(__file__).resolve().parent.parent
WORK = pathlib.Path(sys.argv[1])
IMAGE = os.environ.get("IMAGE", "localhost/sluice:0.2.0")
POD = f"sluice-compose-{os.getpid()}"
SERVICES = yaml.safe_load((HERE.parent / "compose.yaml").read_text())["services"]
AS_OF = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
volumes = set()


def podman(*arguments, check=True, timeout=120):
    run = subprocess.run(["podman", *map(str, arguments)], capture_output=True, text=True, timeout=timeout)
    if check and run.returncode != 0:
        raise RuntimeError(f"podman {' '.join(map(str, arguments[:6]))}: {(run.stderr or run.stdout)[-1500:]}")
    return run.stdout.strip()


def close():
    podman("pod", "rm", "--force", "--time", "5", POD, check=False)
    for volume in volumes:
        podman("volume", "rm", "--force", volume, check=False)


def options(name, service):
    """Returns podman's options for what the file specifies."""
    yield from ["--pod", POD, "--name", f"{POD}-{name}", "--user", service["user"], "--security-opt", "no-new-privileges"]
    yield from ["--read-only", "--read-only-tmpfs=false", "--memory", service["mem_limit"], "--pids-limit", "200"]
    yield from ["--volume", f"{WORK}/hosts:/etc/hosts:ro"]
    for capability in service["cap_drop"]:
        yield from ["--cap-drop", capability]
    for mount in service.get("tmpfs", []):
        yield from ["--tmpfs", mount]
    for key, value in service.get("environment", {}).items():
        yield from ["--env", f"{key}={value}"]
    for mount in service.get("volumes", []):
        source, rest = mount.split(":", 1)
        if source.startswith("."):
            source = str(WORK / "deploy" / source)
        else:
            source = f"{POD}-{source}"
            volumes.add(source)
        yield from ["--volume", f"{source}:{rest}"]


def run(name, *more, wait=False, command=None):
    service = SERVICES[name]
    words = [re.sub(r"\$\{SLUICE_AS_OF[^}]*\}", AS_OF, word) for word in command or service["command"]]
    mode = [] if wait else ["--detach"]
    return podman("run", *mode, *options(name, service), "--entrypoint", words[0], IMAGE, *words[1:], *more)


def ready(name):
    """Returns the response of a service's /readyz, queried in the pod's network."""
    port = SERVICES[name]["environment"]["SLUICE_ADMIN_PORT"]
    return subprocess.run(["nsenter", "--target", process, "--net", "curl", "--silent", "--max-time", "2", "--output", "/dev/null",
                           "--write-out", "%{http_code}", f"http://127.0.0.1:{port}/readyz"], capture_output=True,
                          text=True).stdout


# Each name resolves to the pod's own loopback.
(WORK / "hosts").write_text("127.0.0.1 localhost kafka ingress receiver store\n")
shutil.copytree(HERE.parent, WORK / "deploy", ignore=shutil.ignore_patterns("keys"), symlinks=True)
subprocess.run([WORK / "deploy/compose/up", "--keys"], check=True, env={"PATH": os.environ["PATH"], "COMPOSE": "x"})
# The image's user must be able to read the files.
for file in [WORK, *WORK.rglob("*")]:
    if not file.is_symlink():
        file.chmod(0o755 if file.is_dir() else 0o644)
atexit.register(close)
podman("pod", "create", "--name", POD, "--network", "none")
run("authority", wait=True)
SERVICES["kafka"] = {**SERVICES["authority"], "volumes": [], "mem_limit": "512m"}
broker = run("kafka", command=["/usr/bin/sluice-dev-broker", "--host", "kafka", "--partitions", "3"])
process = podman("inspect", "--format", "{{.State.Pid}}", broker)
for attempt in range(3):
    try:
        run("topics", command=["/usr/bin/sluicectl", "topics", "check"], wait=True)
        break
    except RuntimeError:
        podman("rm", "--force", f"{POD}-topics", check=False)
        if attempt == 2:
            raise
names = ["ingress", "entitlements", "archive", "webhooks", "store", "refunds", "reconciler"]
containers = {name: run(name) for name in names}
pending = [name for name in names if name != "store"]
deadline = time.monotonic() + 60
while pending and time.monotonic() < deadline:
    pending = [name for name in pending if ready(name) != "200"]
    time.sleep(0.3)
failed = False
for name in pending:
    failed = True
    print(f"  failed: {name} is not ready: {podman('logs', '--tail', '5', containers[name], check=False)[-800:]}")
if not failed:
    command = [word for word in SERVICES["customers"]["command"] if word != "--rate=2"]
    run("customers", command=[*command, "--scenario=subscription-life"], wait=True)
    tap = podman("run", "--rm", *options("tap", SERVICES["sluicectl"]), "--entrypoint", "/usr/bin/sluicectl", IMAGE, "tap", "--from",
                 "beginning", "--no-follow", "--output", "json")
    count = len(tap.splitlines())
    if count < 40:
        failed = True
        print(f"  failed: {count} notifications in Kafka")
    for name, container in containers.items():
        podman("stop", "--time", "45", container)
        code = podman("inspect", "--format", "{{.State.ExitCode}}", container)
        if code != "0":
            failed = True
            print(f"  failed: {name} ended with {code} after SIGTERM")
    print(f"  {len(containers)} services ready, {count} notifications, each ended with 0 after SIGTERM")
sys.exit(1 if failed else 0)
