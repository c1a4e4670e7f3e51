internal import AppStoreModel
internal import Primitives
internal import Records

/// The error for a request that the read API cannot answer. The message names the parameter or member.
struct Refusal: Error, Equatable {
    let message: String
}

/// The query component of a request target. Every parameter must be known, unique and well formed. Values are
/// percent-encoded; a `+` is a plus sign, as in a time zone offset, not a space.
struct QueryParameters {
    private var values: [String: String] = [:]

    /// Maximum length of an unknown parameter name in an error message.
    private static let longestName = 64

    init(_ query: String?, names: [StaticString]) throws(Refusal) {
        let names = names.map(\.description)
        for pair in (query ?? "").split(separator: "&", omittingEmptySubsequences: true) {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0])
            guard names.contains(name) else {
                let known = names.joined(separator: ", ")
                throw Refusal(
                    message: "\(name.prefix(Self.longestName)): unknown parameter; known parameters: \(known)")
            }
            guard parts.count == 2, let value = PercentEncoding.decode(parts[1]), BoundedText.accepts(value)
            else {
                throw Refusal(
                    message: """
                        \(name): expected a percent-encoded value of 1 to \(BoundedText.maximumBytes) bytes \
                        without control characters
                        """)
            }
            guard values.updateValue(value, forKey: name) == nil else {
                throw Refusal(message: "\(name): specified twice")
            }
        }
    }

    subscript(name: StaticString) -> String? { values[name.description] }

    var bundleId: BundleId? { self[ReadAPIName.bundleId].map { BundleId($0) } }

    /// Returns the environment, which defaults to Production.
    func environment() throws(Refusal) -> AppStoreEnvironment {
        guard let text = self[ReadAPIName.environment] else { return .production }
        guard let environment = AppStoreEnvironment(published: text) else {
            throw Refusal(message: "\(ReadAPIName.environment): expected Production or Sandbox")
        }
        return environment
    }

    func instant(_ name: StaticString) throws(Refusal) -> AppStoreInstant? {
        guard let text = self[name] else { return nil }
        let instant =
            Int64(text).flatMap { AppStoreInstant(millisecondsSince1970: $0) } ?? AppStoreInstant(rfc3339: text)
        guard let instant else {
            throw Refusal(
                message: "\(name): expected RFC 3339, such as 2026-11-21T10:00:00Z, or milliseconds since 1970")
        }
        return instant
    }

    func number(_ name: StaticString, in range: ClosedRange<Int>, default fallback: Int) throws(Refusal) -> Int {
        guard let text = self[name] else { return fallback }
        guard let number = Int(text), range.contains(number) else {
            throw Refusal(message: "\(name): expected a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    func flag(_ name: StaticString) throws(Refusal) -> Bool {
        guard let text = self[name] else { return false }
        guard text == "true" || text == "false" else { throw Refusal(message: "\(name): expected true or false") }
        return text == "true"
    }
}
