internal import Bytes

/// Percent-encoding of URLs (RFC 3986 section 2.1).
enum PercentEncoding {
    /// The text with its escapes resolved; as it is where an escape is none, or where the result is not UTF-8.
    static func decode(_ text: Substring) -> String {
        let source = Array(text.utf8)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(source.count)
        var index = 0
        while index < source.count {
            guard source[index] == UInt8(ascii: "%") else {
                bytes.append(source[index])
                index += 1
                continue
            }
            guard index + 2 < source.count, let high = source[index + 1].hexadecimalValue,
                let low = source[index + 2].hexadecimalValue
            else { return String(text) }
            bytes.append(high << 4 | low)
            index += 3
        }
        return String(validating: bytes, as: UTF8.self) ?? String(text)
    }
}

/// The parameters of a query, in order.
struct ServerAPIQuery {
    let parameters: [(name: String, value: String)]

    init(_ query: String?) {
        parameters = (query ?? "").split(separator: "&").map { parameter in
            let parts = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (PercentEncoding.decode(parts[0]), parts.count == 2 ? PercentEncoding.decode(parts[1]) : "")
        }
    }

    /// Every value of that name.
    func values(_ name: String) -> [String] { parameters.filter { $0.name == name }.map(\.value) }

    /// The value of a parameter that may be given once.
    ///
    /// - Throws: `error` when it is given more often.
    func value(_ name: String, _ error: ServerAPIError) throws(ServerAPIError) -> String? {
        let values = values(name)
        guard values.count <= 1 else { throw error }
        return values.first
    }

    /// - Throws: `generalBadRequest` for a parameter of another name.
    func checkNames(_ names: Set<String>) throws(ServerAPIError) {
        guard parameters.allSatisfy({ names.contains($0.name) }) else { throw .generalBadRequest }
    }
}
