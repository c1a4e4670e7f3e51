internal import Primitives

extension PercentEncoding {
    /// Returns the percent-decoded text, or the text unchanged if an escape is invalid or the result is not UTF-8.
    static func decodeOrKeep(_ text: Substring) -> String { decode(text) ?? String(text) }
}
