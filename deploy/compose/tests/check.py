"""Checks of deploy/compose.yaml without containers: check.py SCHEMA."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import jsonschema
import yaml

HERE = pathlib.Path(__file__).resolve().parent.parent
ROOT = HERE.parent.parent
failures = []


def fail(text):
    failures.append(text)
    print(f"  failed: {text}", flush=True)


class Loader(yaml.SafeLoader):
    """Compose's own tags are replaced with their values."""


for tag in ["!reset", "!override"]:
    Loader.add_constructor(tag, lambda loader, node: (
        loader.construct_mapping(node, deep=True) if isinstance(node, yaml.MappingNode)
        else loader.construct_sequence(node, deep=True) if isinstance(node, yaml.SequenceNode) else None))


def load(name):
    return yaml.load((HERE.parent / name).read_text(), Loader)


COMPOSE = load("compose.yaml")
EMBEDDED = load("compose/embedded.yaml")
SERVICES = COMPOSE["services"]


def schema(path):
    if not pathlib.Path(path).exists():
        return
    specification = json.loads(pathlib.Path(path).read_text())
    # The schema is from 2021; the name of a project was added later.
    specification["properties"].setdefault("name", {"type": "string"})
    validator = jsonschema.Draft7Validator(specification)
    for name, content in [("compose.yaml", COMPOSE), ("embedded.yaml", EMBEDDED)]:
        content = {key: value for key, value in content.items()}
        if name == "embedded.yaml":
            content = json.loads(json.dumps(content))
            for member in ["environment", "volumes", "healthcheck"]:
                if not content["services"]["kafka"].get(member):
                    content["services"]["kafka"].pop(member, None)
        for error in validator.iter_errors(content):
            fail(f"{name}: {'/'.join(map(str, error.absolute_path))}: {error.message[:200]}")
    wrong = json.loads(json.dumps(COMPOSE))
    wrong["services"]["ingress"]["memory_limit"] = "1g"
    if validator.is_valid(wrong):
        fail("the schema accepts the unknown member memory_limit")


def references():
    for name, service in SERVICES.items():
        for other in service.get("depends_on", {}):
            if other not in SERVICES:
                fail(f"{name} depends on {other}, which is not a service")
        mode = service.get("network_mode", "")
        if mode.startswith("service:") and mode.split(":")[1] not in SERVICES:
            fail(f"{name}: no service {mode}")
        for mount in service.get("volumes", []):
            source = mount.split(":")[0]
            if source.startswith("."):
                if source != "./compose/keys" and not (HERE.parent / source).exists():
                    fail(f"{name}: {source} does not exist")
                if not mount.endswith(":ro"):
                    fail(f"{name}: {source} can be written")
            elif source not in COMPOSE["volumes"]:
                fail(f"{name}: no volume {source}")
        for port in service.get("ports", []):
            if not port.startswith("127.0.0.1:"):
                fail(f"{name}: port {port} is not only on loopback")
        if "mem_limit" not in service:
            fail(f"{name} has no memory limit")
    used = {mount.split(":")[0] for service in SERVICES.values() for mount in service.get("volumes", [])}
    for volume in set(COMPOSE["volumes"]) - used:
        fail(f"volume {volume} is used by no service")
    targets()


def owner(host):
    """Returns the services reached through a name: the service itself and those that share its network."""
    return [name for name, service in SERVICES.items()
            if name == host or service.get("network_mode") == f"service:{host}"]


def targets():
    """Prometheus scrapes each executable under its name, at its admin listener."""
    scraped = {}
    for job in load("compose/prometheus.yml")["scrape_configs"]:
        scraped[job["job_name"]] = job["static_configs"][0]["targets"][0]
    expected = {}
    for name, service in SERVICES.items():
        port = service.get("environment", {}).get("SLUICE_ADMIN_PORT")
        if port:
            expected[service["command"][0].rsplit("/", 1)[1]] = (name, port)
    if set(scraped) != set(expected):
        fail(f"Prometheus scrapes {sorted(scraped)}, and the services are {sorted(expected)}")
    for job, target in scraped.items():
        host, port = target.split(":")
        if job in expected and (expected[job][0] not in owner(host) or expected[job][1] != port):
            fail(f"{job} is scraped at {target} instead of {expected[job]}")
    admin = load("compose/prometheus.yml")["alerting"]["alertmanagers"][0]["static_configs"][0]["targets"]
    if admin != ["alertmanager:9093"] or "alertmanager" not in SERVICES:
        fail("Prometheus does not know Alertmanager")
    paths = [mount.split(":")[1] for mount in SERVICES["grafana"]["volumes"]]
    provider = load("compose/grafana/dashboards/sluice.yaml")["providers"][0]["options"]["path"]
    if provider not in paths or not SERVICES["grafana"]["environment"]["GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH"].startswith(provider):
        fail("Grafana does not find the dashboards")
    advertised = SERVICES["kafka"]["environment"]["KAFKA_ADVERTISED_LISTENERS"].removeprefix("PLAINTEXT://")
    if f"kafka.bootstrap.servers={advertised}" not in (HERE / "sluice.properties").read_text().splitlines():
        fail("sluice.properties names another broker than Kafka advertises")


def executables():
    for folder in filter(None, [os.environ.get("BIN"), ROOT / ".build/debug", ROOT / ".build/release"]):
        if (pathlib.Path(folder) / "sluicectl").exists() and (pathlib.Path(folder) / "sluice-simulator").exists():
            return pathlib.Path(folder)


def settings():
    """Each executable accepts its settings, with the files that would be mounted."""
    bin = executables()
    if not bin:
        print("  left out: settings checked by `sluicectl config check`: swift build, or BIN=folder")
        return
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(HERE.parent, f"{folder}/deploy", ignore=shutil.ignore_patterns("keys"))
        subprocess.run([f"{folder}/deploy/compose/up", "--keys"], check=True, env={"PATH": os.environ["PATH"], "COMPOSE": "x"})
        subprocess.run([bin / "sluice-simulator", "pki", "--out", f"{folder}/authority/pki"], check=True, capture_output=True)
        for name, service in SERVICES.items():
            command = service.get("command", [])
            executable = command[0].rsplit("/", 1)[-1] if command else ""
            if "SLUICE_ADMIN_PORT" not in service.get("environment", {}):
                continue
            text = (HERE / "sluice.properties").read_text()
            for mount in service["volumes"]:
                source, target = mount.split(":")[:2]
                if not source.startswith("."):
                    pathlib.Path(folder, source).mkdir(exist_ok=True)
                real = f"{folder}/deploy/{source}" if source.startswith(".") else f"{folder}/{source}"
                text = re.sub(rf"={re.escape(target)}(?=/|$)", f"={real}", text, flags=re.MULTILINE)
            properties = pathlib.Path(folder, "sluice.properties")
            properties.write_text(text)
            environment = {**service["environment"], "SLUICE_CONFIG": str(properties)}
            run = subprocess.run([bin / "sluicectl", "config", "check", "--for", executable], capture_output=True, text=True,
                                 env=environment)
            if run.returncode != 0:
                fail(f"{name}: {(run.stdout + run.stderr).strip()[:400]}")


print("schema", flush=True)
schema(sys.argv[1])
print("references", flush=True)
references()
print("settings", flush=True)
settings()
sys.exit(1 if failures else 0)
