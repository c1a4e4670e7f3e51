"""The ingress of the rendered chart as podman understands it: pods.py CHART.yaml IMAGE. The broker is put beside it."""

import sys

import yaml

from references import of_kind

objects = [each for each in yaml.safe_load_all(open(sys.argv[1])) if each]
config_maps = {each["metadata"]["name"]: each for each in of_kind(objects, "ConfigMap")}
deployment = of_kind(objects, "Deployment")[0]
deployment["metadata"]["name"] = "sluice-play"
deployment["spec"]["replicas"] = 1
pod = deployment["spec"]["template"]["spec"]
pod["hostNetwork"] = True
# podman knows no projected volumes and no ports on the network of the host; probes become curl in the container, which
# the image does not have.
used = []
for volume in pod["volumes"]:
    if volume["name"] == "config":
        name = volume.pop("projected")["sources"][0]["configMap"]["name"]
        volume["configMap"] = {"name": name}
        used.append(config_maps[name])
container = pod["containers"][0]
for probe in ["startupProbe", "livenessProbe", "readinessProbe", "ports"]:
    del container[probe]
broker = {"name": "broker", "image": sys.argv[2], "imagePullPolicy": "Never", "command": ["/usr/bin/sluice-dev-broker"],
          "args": ["--port", "29092"], "securityContext": container["securityContext"],
          "resources": {"limits": {"memory": "256Mi"}}}
pod["containers"].insert(0, broker)
for unknown in ["topologySpreadConstraints", "serviceAccountName", "enableServiceLinks"]:
    pod.pop(unknown, None)
print(yaml.safe_dump_all([*used, deployment]))
