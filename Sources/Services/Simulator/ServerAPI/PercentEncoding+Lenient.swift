internal import Bytes

extension PercentEncoding {
    /// The text with its escapes resolved; as it is where an escape is none, or where the result is not UTF-8.
    static func decodeOrKeep(_ text: Substring) -> String { decode(text) ?? String(text) }
}
