/// The text exposition format 0.0.4 (https://prometheus.io/docs/instrumenting/exposition_formats/).
package enum PrometheusText {
    package static func render(_ families: [String: MetricSamples.SampledFamily]) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(16 * 1024)
        for (name, family) in families.sorted(by: { $0.key < $1.key }) {
            text.append(contentsOf: "# HELP \(name) ".utf8)
            appendEscaped(family.help, quotes: false, to: &text)
            text.append(contentsOf: "\n# TYPE \(name) \(family.kind.rawValue)\n".utf8)
            let values = family.values.map { (labels: render($0.labels), value: $0.value) }
            for (labels, value) in values.sorted(by: { $0.labels.lexicographicallyPrecedes($1.labels) }) {
                append(name, labels, value, to: &text)
            }
        }
        return text
    }

    private static func append(
        _ name: String, _ labels: [UInt8], _ value: MetricSamples.SampledValue, to text: inout [UInt8]
    ) {
        switch value {
        case .number(let number): sample(name, labels, render(number), to: &text)
        case .count(let count): sample(name, labels, String(count), to: &text)
        case .histogram(let buckets, let counts, let sum, _):
            var cumulative: UInt64 = 0
            for (bound, count) in zip(buckets + [.infinity], counts) {
                cumulative &+= count
                let bucket = Array("le=\"\(render(bound))\"".utf8)
                sample(
                    name + "_bucket", labels.isEmpty ? bucket : labels + [UInt8(ascii: ",")] + bucket,
                    String(cumulative), to: &text)
            }
            sample(name + "_sum", labels, render(sum), to: &text)
            sample(name + "_count", labels, String(cumulative), to: &text)
        }
    }

    private static func sample(_ name: String, _ labels: [UInt8], _ value: String, to text: inout [UInt8]) {
        text.append(contentsOf: name.utf8)
        if !labels.isEmpty {
            text.append(UInt8(ascii: "{"))
            text.append(contentsOf: labels)
            text.append(UInt8(ascii: "}"))
        }
        text.append(contentsOf: " \(value)\n".utf8)
    }

    private static func render(_ labels: [MetricLabel]) -> [UInt8] {
        var text: [UInt8] = []
        for (index, label) in labels.enumerated() {
            if index > 0 { text.append(UInt8(ascii: ",")) }
            text.append(contentsOf: "\(label.name)=\"".utf8)
            appendEscaped(label.value, quotes: true, to: &text)
            text.append(UInt8(ascii: "\""))
        }
        return text
    }

    private static func render(_ number: Double) -> String {
        if number == .infinity { return "+Inf" }
        if number == -.infinity { return "-Inf" }
        if number.isNaN { return "NaN" }
        if let whole = Int64(exactly: number) { return String(whole) }
        return number.description
    }

    private static func appendEscaped(_ value: String, quotes: Bool, to text: inout [UInt8]) {
        for byte in value.utf8 {
            switch byte {
            case UInt8(ascii: "\\"): text.append(contentsOf: #"\\"#.utf8)
            case UInt8(ascii: "\n"): text.append(contentsOf: #"\n"#.utf8)
            case UInt8(ascii: "\"") where quotes: text.append(contentsOf: #"\""#.utf8)
            default: text.append(byte)
            }
        }
    }
}
