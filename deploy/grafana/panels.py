"""Grafana's dashboards, panels and rows as plain data, from which generate creates JSON."""

WIDTH, HEIGHT = 8, 7
DATASOURCE = {"type": "prometheus", "uid": "${datasource}"}


def graph(title, description, unit, *targets, stacked=False):
    """A panel over time. A target consists of an expression and the legend of its series."""
    custom = {"drawStyle": "line", "lineWidth": 1, "fillOpacity": 20 if stacked else 8, "showPoints": "never",
              "spanNulls": False, "stacking": {"mode": "normal" if stacked else "none", "group": "A"}}
    return {
        "type": "timeseries", "title": title, "description": description, "datasource": DATASOURCE,
        "targets": queries(targets),
        "fieldConfig": {"defaults": {"unit": unit, "min": 0, "custom": custom}, "overrides": []},
        "options": {"legend": {"displayMode": "list", "placement": "bottom", "showLegend": True},
                    "tooltip": {"mode": "multi", "sort": "desc"}},
    }


def figure(title, description, unit, expression, legend="", red=None, below=False):
    """One figure for each series. red: the value at or above which it is red; with below, at or under which."""
    colours = ["red", "green"] if below else ["green", "red"]
    steps = [{"color": colours[0], "value": None}]
    if red is not None:
        steps.append({"color": colours[1], "value": red})
    else:
        steps = [{"color": "text", "value": None}]
    return {
        "type": "stat", "title": title, "description": description, "datasource": DATASOURCE,
        "targets": queries([(expression, legend)]),
        "fieldConfig": {"defaults": {"unit": unit, "thresholds": {"mode": "absolute", "steps": steps}}, "overrides": []},
        "options": {"colorMode": "value", "graphMode": "area", "justifyMode": "auto", "textMode": "auto",
                    "reduceOptions": {"calcs": ["lastNotNull"], "fields": "", "values": False}},
    }


def queries(targets):
    return [{"refId": chr(ord("A") + index), "datasource": DATASOURCE, "expr": expression, "legendFormat": legend or "__auto",
             "range": True, "instant": False} for index, (expression, legend) in enumerate(targets)]


def quantiles(metric, by=""):
    """The median and the 99th percentile of a histogram."""
    group = f"le{', ' + by if by else ''}"
    suffix = f" {{{{{by}}}}}" if by else ""
    return [(f'histogram_quantile({quantile}, sum by ({group}) (rate({metric}_bucket{{instance=~"$instance"}}[$__rate_interval])))',
             f"{name}{suffix}") for quantile, name in [("0.5", "median"), ("0.99", "99 %")]]


def rate(metric, by, legend=None, labels=""):
    """The rate of a counter, summed over all but some labels."""
    selector = f'instance=~"$instance"{"," + labels if labels else ""}'
    return (f"sum by ({by}) (rate({metric}{{{selector}}}[$__rate_interval]))",
            legend or " ".join(f"{{{{{label.strip()}}}}}" for label in by.split(",")))


def dashboard(uid, title, *rows, instances):
    """A dashboard. rows: titles with panels. instances: the metric whose instances can be selected."""
    panels, top, number = [], 0, 1
    for name, members in rows:
        panels.append({"id": number, "type": "row", "title": name, "collapsed": False, "panels": [],
                       "gridPos": {"x": 0, "y": top, "w": 24, "h": 1}})
        top, number, left = top + 1, number + 1, 0
        for panel in members:
            if left + WIDTH > 24:
                left, top = 0, top + HEIGHT
            panels.append({"id": number, **panel, "gridPos": {"x": left, "y": top, "w": WIDTH, "h": HEIGHT}})
            number, left = number + 1, left + WIDTH
        top += HEIGHT
    variable = {"hide": 0, "skipUrlSync": False}
    return {
        "uid": uid, "title": f"Sluice: {title}", "tags": ["sluice"], "schemaVersion": 39, "editable": True,
        "timezone": "utc", "refresh": "30s", "time": {"from": "now-6h", "to": "now"}, "panels": panels,
        "links": [{"type": "dashboards", "title": "Sluice", "tags": ["sluice"], "asDropdown": True, "includeVars": True,
                   "keepTime": True, "icon": "external link", "targetBlank": False, "tooltip": "", "url": ""}],
        "templating": {"list": [
            {"name": "datasource", "label": "Prometheus", "type": "datasource", "query": "prometheus", "refresh": 1,
             "regex": "", "multi": False, "includeAll": False, **variable},
            {"name": "instance", "label": "Instance", "type": "query", "datasource": DATASOURCE,
             "query": {"query": f"label_values({instances}, instance)", "refId": "instance"},
             "refresh": 2, "regex": "", "sort": 1, "multi": True, "includeAll": True, "allValue": ".*",
             "current": {"text": "All", "value": "$__all"}, **variable},
        ]},
        "annotations": {"list": []},
    }
