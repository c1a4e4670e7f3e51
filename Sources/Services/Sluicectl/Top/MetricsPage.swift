/// A page in the text exposition format 0.0.4 (https://prometheus.io/docs/instrumenting/exposition_formats/).
struct MetricsPage: Sendable, Equatable {
    /// One value of a metric.
    struct Sample: Sendable, Equatable {
        let name: String
        let labels: [String: String]
        let value: Double
    }

    private(set) var samples: [Sample] = []

    /// Parses a page. Ignores comments, malformed lines and values that are not finite.
    init(_ text: [UInt8]) {
        for line in text.split(separator: UInt8(ascii: "\n")) where line.first != UInt8(ascii: "#") {
            if let sample = Sample(line: line) { samples.append(sample) }
        }
    }

    func samples(of name: String) -> [Sample] { samples.filter { $0.name == name } }

    /// Returns the sum of a metric's values, or nil if the page does not have the metric.
    func sum(of name: String) -> Double? {
        let samples = samples(of: name)
        return samples.isEmpty ? nil : samples.reduce(0) { $0 + $1.value }
    }

    /// Returns the highest value of a metric, or nil if the page does not have the metric.
    func maximum(of name: String) -> Double? { samples(of: name).map(\.value).max() }

    /// Returns the sum of a metric's values for each value of a label.
    func sums(of name: String, by label: String) -> [String: Double] {
        var sums: [String: Double] = [:]
        for sample in samples(of: name) { sums[sample.labels[label] ?? "", default: 0] += sample.value }
        return sums
    }
}

extension MetricsPage.Sample {
    /// Parses a line such as `name{label="value"} 1.5`. Returns nil for any other text.
    init?(line: ArraySlice<UInt8>) {
        let nameEnd = line.firstIndex { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: " ") } ?? line.endIndex
        guard nameEnd > line.startIndex, nameEnd < line.endIndex else { return nil }
        name = String(decoding: line[..<nameEnd], as: UTF8.self)
        var rest = line[nameEnd...]
        if rest.first == UInt8(ascii: "{") {
            guard let labels = Self.readLabels(&rest) else { return nil }
            self.labels = labels
        } else {
            labels = [:]
        }
        // A timestamp may follow the value.
        guard let text = rest.split(separator: UInt8(ascii: " ")).first,
            let value = Double(String(decoding: text, as: UTF8.self)), value.isFinite
        else { return nil }
        self.value = value
    }

    /// Parses labels in braces and removes them from the text.
    private static func readLabels(_ text: inout ArraySlice<UInt8>) -> [String: String]? {
        var labels: [String: String] = [:]
        text.removeFirst()
        while let byte = text.first {
            if byte == UInt8(ascii: "}") {
                text.removeFirst()
                return labels
            }
            if byte == UInt8(ascii: ",") {
                text.removeFirst()
                continue
            }
            guard let equals = text.firstIndex(of: UInt8(ascii: "=")) else { return nil }
            let name = String(decoding: text[..<equals], as: UTF8.self)
            text = text[equals...].dropFirst()
            guard let value = readQuoted(&text) else { return nil }
            labels[name] = value
        }
        return nil
    }

    /// Parses a quoted value, which may contain the format's escapes, and removes it from the text.
    private static func readQuoted(_ text: inout ArraySlice<UInt8>) -> String? {
        guard text.popFirst() == UInt8(ascii: "\"") else { return nil }
        var value: [UInt8] = []
        while let byte = text.popFirst() {
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: value, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let escaped = text.popFirst() else { return nil }
                value.append(escaped == UInt8(ascii: "n") ? UInt8(ascii: "\n") : escaped)
            default: value.append(byte)
            }
        }
        return nil
    }
}
