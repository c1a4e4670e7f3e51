"""Reads the objects that the chart renders, and the schemas for them."""

import json
import pathlib
import subprocess

import jsonschema
import yaml

CHART = pathlib.Path(__file__).resolve().parent.parent


class Strict(yaml.SafeLoader):
    """Loads YAML. A duplicate key is an error, as in Kubernetes."""

    def construct_mapping(self, node, deep=False):
        keys = [self.construct_object(key, deep=deep) for key, _ in node.value]
        for key in keys:
            if keys.count(key) > 1:
                raise yaml.YAMLError(f"{key!r} is duplicated, line {node.start_mark.line + 1}")
        return super().construct_mapping(node, deep)


def helm(command, *arguments):
    """Runs helm. Returns its output, or raises an error with its message."""
    run = subprocess.run([command, *arguments], capture_output=True, text=True)
    if run.returncode != 0:
        raise RuntimeError((run.stderr or run.stdout).strip())
    return run.stdout


def render(command, *arguments, release="r", namespace="shop"):
    """Returns the chart's objects for the arguments of `helm template`."""
    text = helm(command, "template", release, str(CHART), "--namespace", namespace, *arguments)
    return text, [each for each in yaml.load_all(text, Strict) if each is not None]


def title(thing):
    metadata = thing.get("metadata", {})
    return f"{thing.get('kind')} {metadata.get('namespace', '')}/{metadata.get('name')}"


def closed(schema):
    """Returns a schema that rejects unknown members."""
    if isinstance(schema, dict):
        if isinstance(schema.get("properties"), dict):
            schema.setdefault("additionalProperties", False)
        for value in schema.values():
            closed(value)
    elif isinstance(schema, list):
        for value in schema:
            closed(value)
    return schema


def strimzi(kind):
    """KafkaTopic and KafkaUser as documented by Strimzi, as far as the chart uses them (kafka.strimzi.io/v1)."""
    text = {"type": "string", "minLength": 1}
    operations = ["Read", "Write", "Create", "Delete", "Alter", "Describe", "ClusterAction", "AlterConfigs",
                  "DescribeConfigs", "IdempotentWrite", "All"]
    resource = {"type": "object", "required": ["type"], "properties": {
        "type": {"enum": ["topic", "group", "cluster", "transactionalId"]}, "name": text,
        "patternType": {"enum": ["literal", "prefix"]}}}
    acl = {"type": "object", "required": ["resource", "operations"], "properties": {
        "type": {"enum": ["allow", "deny"]}, "host": text, "resource": resource,
        "operations": {"type": "array", "minItems": 1, "items": {"enum": operations}}}}
    spec = {
        "KafkaTopic": {"type": "object", "properties": {
            "topicName": text, "partitions": {"type": "integer", "minimum": 1},
            "replicas": {"type": "integer", "minimum": 1, "maximum": 32767},
            "config": {"type": "object"}}},
        "KafkaUser": {"type": "object", "properties": {
            "authentication": {"type": "object", "required": ["type"], "properties": {
                "type": {"enum": ["tls", "tls-external", "scram-sha-512"]}}},
            "authorization": {"type": "object", "required": ["type", "acls"], "properties": {
                "type": {"enum": ["simple"]}, "acls": {"type": "array", "items": acl}}}}},
    }[kind]
    labels = {"type": "object", "required": ["strimzi.io/cluster"]}
    return closed({"type": "object", "required": ["apiVersion", "kind", "metadata", "spec"], "properties": {
        "apiVersion": {"enum": ["kafka.strimzi.io/v1", "kafka.strimzi.io/v1beta2"]}, "kind": {"enum": [kind]},
        "metadata": {"type": "object", "additionalProperties": True, "required": ["name", "labels"],
                     "properties": {"labels": {**labels, "additionalProperties": True}}},
        "spec": spec}})


def model_schema(model):
    """Returns the closed schema of a model generated from a CRD; metadata is Kubernetes' own."""
    schema = model.model_json_schema(by_alias=True)
    schema["properties"]["metadata"] = {"type": "object", "required": ["name"]}
    return closed(schema)


def custom_schemas(left_out):
    """Schemas of kinds that are not built into Kubernetes, by apiVersion and kind."""
    schemas = {}
    for kind in ["KafkaTopic", "KafkaUser"]:
        for version in ["v1", "v1beta2"]:
            schemas[f"kafka.strimzi.io/{version}", kind] = strimzi(kind)
    try:
        from cloudcoil.models.keda.v1alpha1 import ScaledObject
        from cloudcoil.models.prometheus_operator.v1 import PrometheusRule, ServiceMonitor
    except ImportError as error:
        left_out(f"schemas of KEDA and the Prometheus Operator: {error} (pip install cloudcoil-models-keda "
                 "cloudcoil-models-prometheus-operator)")
        return schemas
    schemas["keda.sh/v1alpha1", "ScaledObject"] = model_schema(ScaledObject)
    schemas["monitoring.coreos.com/v1", "ServiceMonitor"] = model_schema(ServiceMonitor)
    schemas["monitoring.coreos.com/v1", "PrometheusRule"] = model_schema(PrometheusRule)
    return schemas


def violations(thing, schema):
    validator = jsonschema.Draft202012Validator(schema)
    return [f"{title(thing)}: {'/'.join(map(str, each.absolute_path))}: {each.message[:200]}"
            for each in validator.iter_errors(thing)]


def to_json(thing):
    return json.dumps(thing, sort_keys=True)
