"""Checks the chart; deploy/chart/test runs this. Arguments: helm, sluicectl or "", promtool or ""."""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

import kubernetes_validate
import yaml

from objects import CHART, custom_schemas, helm, render, title, to_json, violations
from references import faults, of_kind
from refused import REFUSED

HELM, SLUICECTL, PROMTOOL = sys.argv[1:4]
VERSIONS = ["1.25", "1.31", "1.37"]
MATRIX = sorted((CHART / "ci").glob("*.yaml"))
failures = []


def fail(text):
    failures.append(text)
    print(f"  failed: {text}", flush=True)


def left_out(text):
    print(f"  left out: {text}", flush=True)


def step(text):
    print(text, flush=True)


def matrix():
    """Renders each values file once."""
    rendered = {}
    for values in MATRIX:
        try:
            helm(HELM, "lint", "--strict", "--quiet", str(CHART), "--values", str(values))
            rendered[values.stem] = render(HELM, "--values", str(values))
        except (RuntimeError, yaml.YAMLError) as error:
            fail(f"{values.name}: {error}")
    return rendered


def schemas(rendered):
    custom = custom_schemas(left_out)
    for name, (_, objects) in rendered.items():
        for thing in objects:
            key = (thing["apiVersion"], thing["kind"])
            if key in custom:
                for each in violations(thing, custom[key]):
                    fail(f"{name}: {each}")
                continue
            if "." in thing["apiVersion"].split("/")[0] and not thing["apiVersion"].split("/")[0].endswith(".k8s.io"):
                if key[0].split("/")[0] not in {"keda.sh", "monitoring.coreos.com"}:
                    fail(f"{name}: no schema for {key}")
                continue
            for version in VERSIONS:
                try:
                    kubernetes_validate.validate(thing, version, strict=True)
                except kubernetes_validate.ValidationError as error:
                    fail(f"{name}: Kubernetes {version}: {title(thing)}: {error.message[:200]}")


def schemas_refuse():
    """Each kind of schema detects a misspelt member."""
    _, objects = render(HELM, "--values", str(CHART / "ci/operators.yaml"))
    custom = custom_schemas(lambda _: None)
    for kind, member in [("KafkaTopic", "replica"), ("KafkaUser", "authorisation"), ("ScaledObject", "minReplicas"),
                         ("ServiceMonitor", "endpoint"), ("PrometheusRule", "group")]:
        thing = of_kind(objects, kind)[0]
        schema = custom.get((thing["apiVersion"], kind))
        if schema is None:
            continue
        thing["spec"][member] = 1
        if not violations(thing, schema):
            fail(f"the schema of {kind} accepts the unknown member {member}")
    thing = of_kind(objects, "Deployment")[0]
    thing["spec"]["replica"] = 1
    try:
        kubernetes_validate.validate(thing, VERSIONS[-1], strict=True)
        fail("the schema of Deployment accepts the unknown member replica")
    except kubernetes_validate.ValidationError:
        pass


def refused():
    smallest = ["--values", str(CHART / "ci/smallest.yaml")]
    for values, part in REFUSED:
        try:
            base = [] if values.startswith("bare:") else smallest
            render(HELM, *base, "--set", values.removeprefix("bare:"))
        except RuntimeError as error:
            if part not in str(error):
                fail(f"{values}: the message does not name {part!r}: {error}")
        else:
            fail(f"{values} is accepted")


def checksums():
    """A change of one executable's settings changes only its own Pods."""
    smallest = ["--values", str(CHART / "ci/smallest.yaml")]

    def sums(*arguments):
        _, objects = render(HELM, *smallest, *arguments)
        return {title(each): each["spec"]["template"]["metadata"]["annotations"]["checksum/config"]
                for each in of_kind(objects, "Deployment", "StatefulSet")}

    before = sums()
    changed = sums("--set", "ingress.config.revocation=strict")
    if [name for name in before if before[name] != changed[name]] != ["Deployment shop/r-sluice-ingress"]:
        fail("a setting of the ingress does not change the checksum of the ingress alone")
    changed = sums("--set", "config.revocation=strict")
    if any(before[name] == changed[name] for name in before):
        fail("a setting of all executables does not change each checksum")
    changed = sums("--set-string", "entitlements.configFiles.products.content=\\{\\}")
    if [name for name in before if before[name] != changed[name]] != ["StatefulSet shop/r-sluice-entitlements"]:
        fail("a file of the entitlements does not change the checksum of the entitlements alone")


def alerts(rendered):
    """The rules equal deploy/alerts.yml, with the addresses of their pages."""
    source = (CHART.parent / "alerts.yml").read_text()
    expected = yaml.safe_load(source.replace("runbook: runbooks/", "runbook: https://runbooks.example.com/sluice/"))
    rule = of_kind(rendered["operators"][1], "PrometheusRule")[0]
    if to_json(rule["spec"]) != to_json(expected):
        fail("the PrometheusRule differs from deploy/alerts.yml")
    if not PROMTOOL:
        left_out("promtool check rules on the PrometheusRule: apt-get install prometheus")
        return
    with tempfile.NamedTemporaryFile("w", suffix=".yml") as file:
        yaml.safe_dump(rule["spec"], file)
        file.flush()
        run = subprocess.run([PROMTOOL, "check", "rules", file.name], capture_output=True, text=True)
        if run.returncode != 0:
            fail(f"promtool: {run.stderr}")


def dashboards(rendered):
    """The dashboards equal those of deploy/grafana, byte for byte."""
    found = {key: text for each in of_kind(rendered["operators"][1], "ConfigMap")
             if "grafana_dashboard" in each["metadata"]["labels"] for key, text in each["data"].items()}
    if found != {file.name: file.read_text() for file in (CHART.parent / "grafana/dashboards").glob("*.json")}:
        fail("the dashboards differ from deploy/grafana")


def settings(objects):
    """Yields the executable, the properties and the ConfigMap of each workload and Job."""
    maps = {each["metadata"]["name"]: each["data"] for each in of_kind(objects, "ConfigMap")}
    for owner in of_kind(objects, "Deployment", "StatefulSet", "Job"):
        pod = owner["spec"]["template"]["spec"]
        container = pod["containers"][0]
        name = next(source["configMap"]["name"] for volume in pod["volumes"] if volume["name"] == "config"
                    for source in volume["projected"]["sources"])
        yield container["command"][0].rsplit("/", 1)[1], owner, maps[name]


def with_files(properties, folder):
    """Returns properties with files in a folder. Each file is created, as the secret would be."""
    lines = []
    for line in properties.splitlines():
        key, _, value = line.partition("=")
        if value.startswith(("/run/secrets/", "/etc/sluice/", "/var/lib/")):
            value = folder + value
            path = pathlib.Path(value)
            path.parent.mkdir(parents=True, exist_ok=True)
            if key.endswith((".file", ".location")) or key in ["products", "refunds.rules"]:
                path.write_bytes(example_file(key))
                path.chmod(0o400)
        lines.append(f"{key}={value}")
    return "\n".join(lines) + "\n"


def example_file(key):
    """Returns a file that an executable accepts for a setting."""
    if key.endswith("api.key.file"):
        return subprocess.run(["openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"],
                              capture_output=True, check=True).stdout
    if key == "products":
        return b'{"products": {}}'
    if key == "refunds.rules":
        return (CHART.parent / "refund-rules.json").read_bytes()
    if key == "http.keys.file":
        return b"support read 0123456789abcdef0123456789abcdef\n"
    if key == "webhooks.secret.file":
        return b"whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=\n"
    if key == "archive.s3.credentials.file":
        return b"aws_access_key_id = a\naws_secret_access_key = b\n"
    if key in ["archive.signing.key.file", "archive.key.encryption.key.file"]:
        kind = "signing" if "signing" in key else "encryption"
        with tempfile.TemporaryDirectory() as folder:
            origin = ["--archive.origin", "example.com/appstore"] if kind == "signing" else []
            subprocess.run([SLUICECTL, "archive", "key", kind, f"{folder}/key", *origin], capture_output=True, check=True)
            return pathlib.Path(f"{folder}/key").read_bytes()
    if key.startswith("apps."):
        return b"0f1e2d3c4b5a69788796a5b4c3d2e1f0\n"
    return b"password\n"


def accepted(rendered):
    """Each executable accepts the settings of its Pods."""
    if not SLUICECTL:
        left_out("settings checked by `sluicectl config check`: swift build --product sluicectl, or SLUICECTL=path")
        return
    for name, (_, objects) in rendered.items():
        for executable, owner, data in settings(objects):
            if executable == "sluicectl":
                continue
            with tempfile.TemporaryDirectory() as folder:
                file = pathlib.Path(folder, "sluice.properties")
                file.write_text(with_files(data["sluice.properties"], folder))
                environment = {each["name"]: each.get("value", "r-0")
                               for each in owner["spec"]["template"]["spec"]["containers"][0].get("env", [])}
                run = subprocess.run([SLUICECTL, "config", "check", "--for", executable, "--config", str(file)],
                                     capture_output=True, text=True, env=environment)
                if run.returncode != 0:
                    fail(f"{name}: {title(owner)}: {(run.stderr + run.stdout).strip()}")


def strimzi(rendered):
    """Topics and rights equal the output of sluicectl for the same prefix and partitions."""
    if not SLUICECTL:
        left_out("Strimzi's objects compared with sluicectl: swift build --product sluicectl, or SLUICECTL=path")
        return
    objects = rendered["operators"][1]

    def printed(*arguments):
        run = subprocess.run([SLUICECTL, "topics", *arguments, "--topics.prefix", "My_Shop"],
                             capture_output=True, text=True, check=True, env={})
        return run.stdout

    listed = yaml.safe_load_all(printed("list", "--partitions", "6", "--format", "strimzi", "--cluster", "kafka"))
    expected = {each["metadata"]["name"]: each["spec"] for each in listed}
    rendered_topics = {each["metadata"]["name"]: each["spec"] for each in of_kind(objects, "KafkaTopic")}
    if to_json(rendered_topics) != to_json(expected):
        fail("the KafkaTopics differ from `sluicectl topics list`")
    for user in of_kind(objects, "KafkaUser"):
        component = user["metadata"]["labels"]["app.kubernetes.io/component"]
        executable = "sluice-entitlements" if component == "reader" else f"sluice-{component}"
        role = ["--state.role", "reader"] if component == "reader" else []
        if component == "reader":  # operators.yaml enables stories for the reader alone.
            role += ["--entitlements.stories", "true"]
        acls = yaml.safe_load(printed("acls", "--for", executable, "--format", "strimzi", *role))["acls"]
        if to_json(user["spec"]["authorization"]["acls"]) != to_json(acls):
            fail(f"{title(user)}: the rights differ from `sluicectl topics acls`")


def main():
    step(f"helm lint and template: {', '.join(each.stem for each in MATRIX)}")
    rendered = matrix()
    if failures:
        return
    step(f"strict schemas of Kubernetes {', '.join(VERSIONS)}, and of the custom resources")
    schemas(rendered)
    schemas_refuse()
    step("references between the objects")
    for name, (_, objects) in rendered.items():
        for each in faults(objects):
            fail(f"{name}: {each}")
    step(f"{len(REFUSED)} wrong values are refused, and why")
    refused()
    step("checksums of the configuration")
    checksums()
    step("alerts and dashboards")
    alerts(rendered)
    dashboards(rendered)
    step("settings")
    accepted(rendered)
    step("topics and rights")
    strimzi(rendered)


main()
if failures:
    print(f"{len(failures)} failed")
    sys.exit(1)
