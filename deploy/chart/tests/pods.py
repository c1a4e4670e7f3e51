"""The ingress and the entitlements of the rendered chart as podman understands them, with the broker beside them, in one
Pod: pods.py CHART.yaml IMAGE."""

import sys

import yaml

from references import of_kind

objects = [each for each in yaml.safe_load_all(open(sys.argv[1])) if each]
config_maps = {each["metadata"]["name"]: each for each in of_kind(objects, "ConfigMap")}
used, volumes, secret_folders = [], {}, {}


def volume(name, content):
    """A volume of the Pod, with a unique name."""
    volumes[name] = {"name": name, **content}
    return name


def converted(owner, source):
    """podman knows no projected volumes: those of a ConfigMap become one, those of a Secret a ConfigMap with an example of
    the key, in the folder of its path. A claim belongs to the owner of the image's folder, and an emptyDir to root."""
    prefix = owner["metadata"]["name"]
    if source["name"] == "config":
        name = source["projected"]["sources"][0]["configMap"]["name"]
        used.append(config_maps[name])
        return volume(f"{prefix}-config", {"configMap": {"name": name}})
    if source["name"] == "secrets":
        name = f"{prefix}-secrets"
        item = source["projected"]["sources"][0]["secret"]["items"][0]
        used.append({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name},
                     "data": {item["key"]: "support read 0123456789abcdef0123456789abcdef\n"}})
        secret_folders[name] = item["path"].rsplit("/", 1)[0]
        return volume(name, {"configMap": {"name": name}})
    if source["name"] == "data":
        return volume(f"{prefix}-data", {"persistentVolumeClaim": {"claimName": f"{prefix}-data"}})
    return volume(f"{prefix}-{source['name']}", {"emptyDir": {}})


def container(owner):
    """The container of a workload. Probes become curl in the container, which the image does not have; the Pod has the
    network of the host."""
    spec = owner["spec"]["template"]["spec"]
    names = {source["name"]: converted(owner, source) for source in spec["volumes"]}
    only = spec["containers"][0]
    for member in ["startupProbe", "livenessProbe", "readinessProbe", "ports"]:
        del only[member]
    for mount in only["volumeMounts"]:
        mount["name"] = names[mount["name"]]
        if mount["name"] in secret_folders:
            mount["mountPath"] += "/" + secret_folders[mount["name"]]
    only["env"] = [{"name": each["name"], "value": "play-0"} for each in only.get("env", [])]
    return only


workloads = of_kind(objects, "Deployment", "StatefulSet")
containers = [container(each) for each in workloads]
broker = {"name": "broker", "image": sys.argv[2], "imagePullPolicy": "Never", "command": ["/usr/bin/sluice-dev-broker"],
          "args": ["--port", "29092"], "securityContext": containers[0]["securityContext"],
          "resources": {"limits": {"memory": "256Mi"}}}
template = workloads[0]["spec"]["template"]["spec"]
pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "sluice-play", "labels": {"app": "sluice-play"}},
       "spec": {"hostNetwork": True, "automountServiceAccountToken": False,
                "securityContext": {key: value for key, value in template["securityContext"].items() if key.startswith("runAs")},
                "volumes": list(volumes.values()), "containers": [broker, *containers]}}
print(yaml.safe_dump_all([*used, pod]))
