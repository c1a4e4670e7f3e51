"""Checks that the rendered objects are consistent with each other, which a schema cannot express."""

import re

from objects import title

# Objects that the matrix expects in the namespace.
EXISTING_CONFIG_MAPS = {"sluice-rules"}


def of_kind(objects, *kinds):
    return [each for each in objects if each["kind"] in kinds]


def selects(selector, labels):
    return bool(selector) and all(labels.get(key) == value for key, value in selector.items())


def pods(objects):
    """Each Pod template or Pod, with its owner."""
    for owner in of_kind(objects, "Deployment", "StatefulSet", "Job"):
        yield owner, owner["spec"]["template"]
    for pod in of_kind(objects, "Pod"):
        yield pod, pod


def faults(objects):
    """Yields one line for each inconsistency."""
    found = []
    names = [(each["apiVersion"], title(each)) for each in objects]
    found += [f"{name[1]} is rendered twice" for name in set(names) if names.count(name) > 1]
    found += [f"{title(each)}: the chart makes no Secrets" for each in of_kind(objects, "Secret")]
    services = of_kind(objects, "Service")
    for owner, pod in pods(objects):
        found += pod_faults(objects, owner, pod)
    workloads = of_kind(objects, "Deployment", "StatefulSet")
    for service in services:
        matches = [each for each in workloads
                   if selects(service["spec"]["selector"], each["spec"]["template"]["metadata"]["labels"])]
        if len(matches) != 1:
            found.append(f"{title(service)} selects {len(matches)} workloads")
            continue
        ports = {port["name"] for port in matches[0]["spec"]["template"]["spec"]["containers"][0]["ports"]}
        found += [f"{title(service)}: no container port {port['targetPort']}" for port in service["spec"]["ports"]
                  if port["targetPort"] not in ports]
        if "admin" in {port["name"] for port in service["spec"]["ports"]} and service["spec"].get("clusterIP") != "None":
            found.append(f"{title(service)}: the admin listener is published")
    for stateful in of_kind(objects, "StatefulSet"):
        if stateful["spec"]["serviceName"] not in {each["metadata"]["name"] for each in services}:
            found.append(f"{title(stateful)}: no service {stateful['spec']['serviceName']}")
    for each in of_kind(objects, "PodDisruptionBudget", "NetworkPolicy"):
        labels = each["spec"].get("selector", each["spec"].get("podSelector"))["matchLabels"]
        if sum(selects(labels, pod["metadata"]["labels"]) for owner, pod in pods(objects)) != 1:
            found.append(f"{title(each)} does not select one workload")
    for each in of_kind(objects, "HorizontalPodAutoscaler", "ScaledObject"):
        target = each["spec"]["scaleTargetRef"]
        matches = [work for work in workloads if (work["kind"], work["metadata"]["name"]) == (target["kind"], target["name"])]
        if len(matches) != 1:
            found.append(f"{title(each)}: no {target['kind']} {target['name']}")
        elif "replicas" in matches[0]["spec"]:
            found.append(f"{title(matches[0])}: replicas are stated and scaled")
    for monitor in of_kind(objects, "ServiceMonitor"):
        matches = [each for each in services if selects(monitor["spec"]["selector"]["matchLabels"], each["metadata"]["labels"])
                   and any(port["name"] == monitor["spec"]["endpoints"][0]["port"] for port in each["spec"]["ports"])]
        jobs = [each["metadata"]["labels"].get(monitor["spec"]["jobLabel"], "") for each in matches]
        # The alert about processes that are down uses this job name.
        if len(jobs) != 1 or not re.fullmatch("sluice.*", jobs[0]):
            found.append(f"{title(monitor)}: jobs {jobs}, expected one that begins with sluice")
    return found


def pod_faults(objects, owner, pod):
    found = []
    spec = pod["spec"]
    maps = {each["metadata"]["name"] for each in of_kind(objects, "ConfigMap")} | EXISTING_CONFIG_MAPS
    volumes = {each["name"] for each in spec.get("volumes", [])}
    volumes |= {each["metadata"]["name"] for each in owner["spec"].get("volumeClaimTemplates", [])}
    for volume in spec.get("volumes", []):
        for source in volume.get("projected", {}).get("sources", []):
            name = source.get("configMap", {}).get("name")
            if name and name not in maps:
                found.append(f"{title(owner)}: no ConfigMap {name}")
    for container in spec["containers"]:
        mounts = {each["name"] for each in container.get("volumeMounts", [])}
        found += [f"{title(owner)}: no volume {each}" for each in mounts - volumes]
        found += [f"{title(owner)}: volume {each} is mounted nowhere" for each in volumes - mounts]
        ports = {each["name"] for each in container.get("ports", [])}
        for probe in ["startupProbe", "livenessProbe", "readinessProbe"]:
            if owner["kind"] in ["Deployment", "StatefulSet"] and container.get(probe, {}).get("httpGet", {}).get("port") not in ports:
                found.append(f"{title(owner)}: {probe} asks no port of the container")
    if owner["kind"] != "Pod" and owner["kind"] != "Job":
        if not selects(owner["spec"]["selector"]["matchLabels"], pod["metadata"]["labels"]):
            found.append(f"{title(owner)} does not select its Pods")
        if "checksum/config" not in pod["metadata"]["annotations"]:
            found.append(f"{title(owner)}: no checksum of the configuration")
    accounts = {each["metadata"]["name"] for each in of_kind(objects, "ServiceAccount")} | {"existing"}
    if spec.get("serviceAccountName", "existing") not in accounts:
        found.append(f"{title(owner)}: no ServiceAccount {spec['serviceAccountName']}")
    return found
