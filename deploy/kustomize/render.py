"""Renders the chart into a kustomize base and components: render.py HELM FOLDER."""

import pathlib
import shutil
import subprocess
import sys

import yaml

HERE = pathlib.Path(__file__).resolve().parent
BASE = ["ingress", "entitlements"]
HELM_LABELS = ["helm.sh/chart", "app.kubernetes.io/managed-by"]
NOTE = "# Rendered from deploy/chart by deploy/kustomize/render: change the chart, not this file.\n"


def objects(helm):
    command = [helm, "template", "sluice", str(HERE.parent / "chart"), "--namespace", "sluice", "--skip-tests",
               "--values", str(HERE / "values.yaml")]
    text = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    return [each for each in yaml.safe_load_all(text) if each]


def plain(thing):
    """Returns an object without the parts of Helm and of the example: namespace, labels, checksum, and release name."""
    metadata = thing["metadata"]
    metadata.pop("namespace", None)
    for label in HELM_LABELS:
        metadata.get("labels", {}).pop(label, None)
    template = thing.get("spec", {}).get("template", {}).get("metadata", {})
    # The generator names a ConfigMap after its content, so changing the content also changes the Pods.
    if template.get("annotations", {}).pop("checksum/config", None) and not template["annotations"]:
        del template["annotations"]
    if thing["kind"] == "ServiceMonitor":
        del thing["spec"]["namespaceSelector"]
    return thing


def place(thing):
    """Returns the folder of an object."""
    if thing["apiVersion"].startswith("monitoring.coreos.com/"):
        return "components/monitoring"
    component = thing["metadata"]["labels"].get("app.kubernetes.io/component", BASE[0])
    return "base" if component in BASE else f"components/{component}"


def write(folder, things):
    folder.mkdir(parents=True)
    kustomization = {
        "apiVersion": "kustomize.config.k8s.io/v1beta1" if folder.name == "base" else "kustomize.config.k8s.io/v1alpha1",
        "kind": "Kustomization" if folder.name == "base" else "Component",
    }
    generators, resources = [], []
    for thing in things:
        name = thing["metadata"]["name"]
        if thing["kind"] == "ConfigMap":
            file = f"{name.removeprefix('sluice-')}.properties"
            (folder / file).write_text(thing["data"]["sluice.properties"].rstrip("\n") + "\n")
            generators.append({"name": name, "files": [f"sluice.properties={file}"]})
            continue
        file = f"{thing['kind'].lower()}-{name}.yaml"
        (folder / file).write_text(NOTE + yaml.safe_dump(thing, sort_keys=False, width=1000))
        resources.append(file)
    kustomization["resources"] = sorted(resources)
    if generators:
        kustomization["configMapGenerator"] = sorted(generators, key=lambda each: each["name"])
    (folder / "kustomization.yaml").write_text(NOTE + yaml.safe_dump(kustomization, sort_keys=False, width=1000))


def main():
    helm, target = sys.argv[1], pathlib.Path(sys.argv[2])
    folders = {}
    for thing in objects(helm):
        folders.setdefault(place(thing), []).append(plain(thing))
    for part in ["base", "components"]:
        shutil.rmtree(target / part, ignore_errors=True)
    for folder, things in sorted(folders.items()):
        write(target / folder, things)


main()
