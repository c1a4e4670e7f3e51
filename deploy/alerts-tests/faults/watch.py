"""Prometheus with the shipped rules, Alertmanager, and a receiver of its webhooks, around a pipeline."""

import json
import re
import time

from firstlook import silent
from pipeline import ROOT, Receiver, debian, free_port, get, wait

RULES = ROOT / "deploy/alerts.yml"


def paging():
    """Returns the alerts that page: name, and time for which the condition must last before it fires."""
    rule = re.compile(r"- alert: (\w+)\n\s+expr: .*\n(?:\s+for: (\w+)\n)?\s+labels:\n\s+severity: page\n")
    return {match[1]: match[2] or "0s" for match in rule.finditer(RULES.read_text())}


class Watch:
    """The alerts that arrive at the webhook. Conditions must last a second, not minutes; nothing else is changed."""

    def __init__(self, pipeline):
        self.pipeline = pipeline
        self.receiver = Receiver()
        rules = pipeline.folder / "alerts.yml"
        rules.write_text(re.sub(r"^(\s+for:) \w+$", r"\1 1s", RULES.read_text(), flags=re.MULTILINE))
        port = free_port()
        configuration = {
            "route": {"receiver": "test", "group_by": ["..."], "group_wait": "0s", "group_interval": "1s", "repeat_interval": "1h"},
            "receivers": [{"name": "test", "webhook_configs": [{"url": self.receiver.url, "send_resolved": True}]}],
        }
        file = pipeline.folder / "alertmanager.yml"
        file.write_text(json.dumps(configuration))
        pipeline.start("alertmanager", [
            debian("prometheus-alertmanager", "prometheus-alertmanager"), "--config.file", file,
            "--storage.path", pipeline.folder / "alertmanager", "--web.listen-address", f"127.0.0.1:{port}",
            "--cluster.listen-address", "", "--log.level", "warn"])
        wait(lambda: get(f"http://127.0.0.1:{port}/-/ready")[0] == 200, 30, "Alertmanager is ready")
        pipeline.prometheus(rules=rules, alertmanager=f"127.0.0.1:{port}")

    def arrivals(self):
        """Returns each alert that arrived: name, status, severity, runbook, and time."""
        for moment, body in list(self.receiver.bodies):
            for alert in json.loads(body)["alerts"]:
                yield (alert["labels"]["alertname"], alert["status"], alert["labels"]["severity"],
                       alert["annotations"].get("runbook"), moment)

    def first(self, name, status, since):
        """Returns the time at which an alert first arrived after another time; None if it did not."""
        moments = [moment for alert, state, _, _, moment in self.arrivals()
                   if alert == name and state == status and moment >= since]
        return min(moments, default=None)

    def pages(self):
        return sorted({name for name, status, severity, _, _ in self.arrivals() if severity == "page" and status == "firing"})


class Table:
    """The results: one row for each alert that was provoked."""

    def __init__(self):
        self.rows = []
        self.failures = []
        # Alerts that cannot be provoked on this machine, with the reasons.
        self.left_out = {}
        # Commands of first looks that were run.
        self.looks = 0

    def expect(self, watch, fault, names, since, seconds, resolved=False):
        """Waits until each of the alerts has arrived at the webhook with an existing page."""
        status = "resolved" if resolved else "firing"
        deadline = time.monotonic() + seconds
        pending = list(names)
        while pending and time.monotonic() < deadline:
            for name in list(pending):
                moment = watch.first(name, status, since)
                if moment:
                    pending.remove(name)
                    self.add(watch, fault, name, status, moment - since)
            time.sleep(0.2)
        for name in pending:
            self.failures.append(f"{name} did not arrive ({status}) within {seconds} s: {fault}; arrived: {watch.pages()}")
            print(f"  failed: {self.failures[-1]}", flush=True)

    def add(self, watch, fault, name, status, seconds):
        self.rows.append((name, status, fault, seconds))
        print(f"  {name:28} {status:9} after {seconds:5.1f} s  {fault}", flush=True)
        page = next(runbook for alert, _, _, runbook, _ in watch.arrivals() if alert == name)
        if not page or not (ROOT / "deploy" / page).exists():
            self.failures.append(f"{name} has no page: {page}")
        elif status == "firing":
            count, nothing = silent(page, watch.pipeline)
            self.looks += count
            for line in nothing:
                self.failures.append(f"{page}: first look fails or prints nothing: {line}")
                print(f"  failed: {self.failures[-1]}", flush=True)

    def quiet(self, watch, where):
        """Checks that no alert pages without a fault."""
        if watch.pages():
            self.failures.append(f"{where}: pages without a fault: {watch.pages()}")
            print(f"  failed: {self.failures[-1]}", flush=True)

    def leave_out(self, names, reason):
        """Reports that alerts are not provoked on this machine."""
        names = [name for name in names if name not in self.provoked]
        self.left_out |= dict.fromkeys(names, reason)
        print(f"  skipped: {', '.join(names)}: {reason}", flush=True)

    @property
    def provoked(self):
        return {name for name, status, _, _ in self.rows if status == "firing"}
