"""Holds each dashboard to Grafana's model, and runs each expression in a real Prometheus that scrapes the whole pipeline
at work: no panel without data, and no metric that no executable exports."""

import json
import math
import pathlib
import re
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(HERE), str(HERE.parent / "testing")]
from dashboards import ALL  # noqa: E402
from pipeline import Everything, get, wait  # noqa: E402

failures = []


def fail(text):
    failures.append(text)
    print(f"  failed: {text}", flush=True)


def files():
    for name, dashboard in ALL.items():
        file = HERE / "dashboards" / f"{name}.json"
        if not file.exists() or json.loads(file.read_text()) != dashboard:
            fail(f"{file.name} differs from the output of dashboards.py; run deploy/grafana/generate")
    for file in (HERE / "dashboards").glob("*.json"):
        if file.stem not in ALL:
            fail(f"{file.name} is not a dashboard of dashboards.py")


def lacks(expected, found, path=""):
    """Returns members of the first that the second lacks or has with another value."""
    if isinstance(expected, dict) and isinstance(found, dict):
        for key, value in expected.items():
            if key not in found:
                if value not in ("", None, [], {}, False):
                    yield f"{path}/{key} is lost"
            else:
                yield from lacks(value, found[key], f"{path}/{key}")
    elif isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        for index, (one, other) in enumerate(zip(expected, found)):
            yield from lacks(one, other, f"{path}/{index}")
    elif expected != found:
        yield f"{path} is {found!r}, not {expected!r}"


def model():
    """Each dashboard passes through Grafana's own model without losing a member."""
    try:
        from grafana_foundation_sdk.cog.encoder import JSONEncoder
        from grafana_foundation_sdk.models.dashboard import Dashboard
        from grafana_foundation_sdk.cog import plugins
        plugins.register_default_plugins()
    except ImportError as error:
        print(f"  left out: Grafana's model: {error} (pip install grafana-foundation-sdk)")
        return
    for name, dashboard in ALL.items():
        try:
            back = json.loads(JSONEncoder(sort_keys=True).encode(Dashboard.from_json(json.loads(json.dumps(dashboard)))))
        except (KeyError, TypeError, ValueError) as error:
            fail(f"{name}: the model rejects it: {error!r}")
            continue
        for each in list(lacks(dashboard, back))[:5]:
            fail(f"{name}: {each}")


def expressions():
    """Yields each expression with its dashboard and panel."""
    for name, dashboard in ALL.items():
        for panel in dashboard["panels"]:
            for target in panel.get("targets", []):
                yield name, panel["title"], target["expr"]


def concrete(expression):
    return expression.replace("$__rate_interval", "5m").replace("$instance", ".*")


def has_data(pipeline, expression):
    result = pipeline.query(concrete(expression))
    return any(not math.isnan(float(series["value"][1])) for series in result)


def exported(pipeline):
    """Returns the names of all series exported by the executables and by Prometheus itself."""
    names = {"up"}
    for job, port in pipeline.targets.items():
        status, body = get(f"http://127.0.0.1:{port}/metrics")
        if status != 200:
            fail(f"/metrics of {job} is {status}")
        names |= set(re.findall(r"^([a-zA-Z_:][a-zA-Z0-9_:]*)", body.decode(), re.MULTILINE))
    return names


def named(text):
    """Returns the metrics that a text names completely."""
    return set(re.findall(r"\bsluice_[a-z0-9_]+[a-z0-9](?![a-z0-9_(*.])", re.sub(r"sluice_[a-z0-9_]+\(", "", text)))


def live():
    pipeline = Everything()
    pipeline.prometheus()
    pipeline.traffic()
    pipeline.refund()
    pipeline.later_consumers()
    wait(lambda: pipeline.query("sluice_notifications_missing"), 90, "a complete sweep")
    pending = list(expressions())
    count = len(pending)
    deadline = time.monotonic() + 90
    seed = 100
    while pending and time.monotonic() < deadline:
        seed += 1
        pipeline.post("--scenario", "all", "--accounts", "24", "--seed", seed, "--first-run", seed * 100)
        pipeline.more(seed)
        pending = [each for each in pending if not has_data(pipeline, each[2])]
        time.sleep(1)
    for name, panel, expression in pending:
        fail(f"{name}: {panel}: no data: {expression}")
    names = exported(pipeline)
    for name, panel, expression in expressions():
        for metric in re.findall(r"\b(?:sluice|process)_[a-z0-9_]+", re.sub(r'"[^"]*"', "", expression)):
            if metric not in names and metric not in ["process", "sluice"]:
                fail(f"{name}: {panel}: no executable exports {metric}")
    for file in [HERE.parent / "alerts.yml", *(HERE.parent / "runbooks").glob("*.md")]:
        # A histogram is named without its suffix, and several metrics by their common prefix.
        for metric in {each for each in named(file.read_text()) if not any(name.startswith(each) for name in names)}:
            fail(f"{file.name}: no executable exports {metric}")
    if has_data(pipeline, "sum(sluice_nothing_total)"):
        fail("an expression about a metric that does not exist has data")
    print(f"  {count} expressions, {len(names)} metrics, {len(ALL)} dashboards")
    pipeline.close()


print("files", flush=True)
files()
print("Grafana's model", flush=True)
model()
print("expressions on a live pipeline", flush=True)
live()
sys.exit(1 if failures else 0)
