internal import Primitives

/// The format of `OTEL_RESOURCE_ATTRIBUTES` and `OTEL_EXPORTER_OTLP_HEADERS`: comma-separated `key=value` pairs with
/// percent-encoded values (W3C Baggage without properties).
enum KeyValueList {
    /// Returns the pairs in order, or nil if the text does not have this format. Ignores whitespace around keys and
    /// values.
    static func parse(_ text: String) -> [(key: String, value: String)]? {
        var pairs: [(key: String, value: String)] = []
        for element in text.split(separator: ",", omittingEmptySubsequences: true) {
            if element.trimmingWhitespace.isEmpty { continue }
            guard let equals = element.firstIndex(of: "="),
                let value = PercentEncoding.decode(
                    Substring(element[element.index(after: equals)...].trimmingWhitespace))
            else { return nil }
            let key = String(element[..<equals].trimmingWhitespace)
            guard !key.isEmpty else { return nil }
            pairs.append((key: key, value: value))
        }
        return pairs
    }
}
