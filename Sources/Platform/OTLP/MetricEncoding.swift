internal import JSON
internal import Telemetry

/// Encodes metrics as an `ExportMetricsServiceRequest` in JSON, with the names and labels of `/metrics`. All sums are
/// cumulative since the process started.
struct MetricEncoding {
    /// The process start time, in nanoseconds since 1970.
    let start: UInt64
    let now: UInt64

    func text(_ samples: MetricSamples, resource: [ResourceAttribute]) -> [UInt8] {
        JSONWriter.text { json in
            json.object {
                $0.array("resourceMetrics") {
                    $0.object {
                        $0.resource(resource)
                        $0.array("scopeMetrics") {
                            $0.object {
                                $0.scope()
                                $0.array("metrics") {
                                    for (name, family) in samples.families.sorted(by: { $0.key < $1.key }) {
                                        write(name, family, to: &$0)
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    private func write(_ name: String, _ family: MetricSamples.SampledFamily, to json: inout JSONWriter) {
        json.object {
            $0.set("name", name)
            $0.set("description", family.help)
            $0.set("unit", Self.unit(name))
            switch family.kind {
            case .gauge: $0.object("gauge") { points(family, to: &$0) }
            case .counter:
                $0.object("sum") {
                    points(family, to: &$0)
                    Self.cumulative(&$0)
                    $0.set("isMonotonic", true)
                }
            case .histogram:
                $0.object("histogram") {
                    points(family, to: &$0)
                    Self.cumulative(&$0)
                }
            }
        }
    }

    /// Writes AGGREGATION_TEMPORALITY_CUMULATIVE.
    private static func cumulative(_ json: inout JSONWriter) { json.set("aggregationTemporality", Int64(2)) }

    private func points(_ family: MetricSamples.SampledFamily, to json: inout JSONWriter) {
        json.array("dataPoints") {
            for (labels, value) in family.values {
                $0.object { point(labels, value, isGauge: family.kind == .gauge, to: &$0) }
            }
        }
    }

    private func point(
        _ labels: [MetricLabel], _ value: MetricSamples.SampledValue, isGauge: Bool, to json: inout JSONWriter
    ) {
        json.array("attributes") { for label in labels { $0.attribute(label.name, label.value) } }
        if !isGauge { json.set64("startTimeUnixNano", start) }
        json.set64("timeUnixNano", now)
        switch value {
        case .number(let number): json.double("asDouble", number)
        case .count(let count): json.set64("asInt", min(count, UInt64(Int64.max)))
        case .histogram(let buckets, let counts, let sum, let exemplars):
            // Write counts as numbers, as in the specification's example, because some decoders reject strings in this
            // field.
            json.set("count", Int64(clamping: counts.reduce(0, &+)))
            json.double("sum", sum)
            json.array("bucketCounts") { for count in counts { $0.integer(Int64(clamping: count)) } }
            json.array("explicitBounds") { for bound in buckets { $0.text(Array(bound.description.utf8)) } }
            json.array("exemplars") { for exemplar in exemplars { write(exemplar, to: &$0) } }
        }
    }

    private func write(_ exemplar: Exemplar, to json: inout JSONWriter) {
        json.object {
            $0.set64("timeUnixNano", exemplar.nanoseconds)
            $0.double("asDouble", exemplar.value)
            $0.setId("spanId", exemplar.span.spanId)
            $0.set("traceId", exemplar.span.traceId)
        }
    }

    /// Returns the UCUM unit for the suffix of a Prometheus name, or nil.
    private static func unit(_ name: String) -> String? {
        let base = name.hasSuffix("_total") ? name.dropLast("_total".count) : name[...]
        if base.hasSuffix("_seconds") { return "s" }
        if base.hasSuffix("_bytes") { return "By" }
        return nil
    }
}
