"""Checks that an overlay's own settings reach the Pods of the kustomize base: overlay.py FILE."""

import sys

import yaml

from references import of_kind, pod_faults

objects = [each for each in yaml.safe_load_all(open(sys.argv[1])) if each]
for config_map in of_kind(objects, "ConfigMap"):
    if "@" in config_map["metadata"]["name"]:
        sys.exit(f"  failed: {config_map['metadata']['name']}")
for owner in of_kind(objects, "Deployment", "StatefulSet"):
    owner["spec"]["template"]["metadata"].setdefault("annotations", {})["checksum/config"] = "the name of the ConfigMap"
    for fault in pod_faults(objects, owner, owner["spec"]["template"]):
        sys.exit(f"  failed: {fault}")
    container = owner["spec"]["template"]["spec"]["containers"][0]
    if container["image"] != "registry.example.com/sluice:0.2.0":
        sys.exit(f"  failed: {owner['metadata']['name']} has the image {container['image']}")
ingress = next(each for each in of_kind(objects, "Deployment") if each["metadata"]["name"] == "sluice-ingress")
sources = [source["configMap"]["name"] for volume in ingress["spec"]["template"]["spec"]["volumes"]
           for source in volume.get("projected", {}).get("sources", [])]
settings = [each["data"]["sluice.properties"] for each in of_kind(objects, "ConfigMap")
            if each["metadata"]["name"] in sources]
if not settings or "kafka.bootstrap.servers=kafka.example.com:9092" not in settings[0].splitlines():
    sys.exit("  failed: the overlay's settings do not reach the ingress")
