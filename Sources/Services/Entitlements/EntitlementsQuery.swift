internal import AppStoreModel
internal import Foundation
internal import NotificationRecord

/// What a request to the read API asks.
struct EntitlementsQuery: Sendable, Equatable {
    var subject: EntitlementsReader.Subject
    var environment: RecordEnvironment
    var bundleId: BundleId?
    /// Nil: now.
    var at: AppStoreInstant?

    /// Why a request is no query; the message names the parameter.
    struct Refusal: Error, Equatable {
        let message: String
    }

    /// Reads the part of a target after `?`. Every parameter is known, at most once there, and well formed. Values are
    /// percent-encoded; a `+` is a plus, as in a time's offset, and not a space.
    init(_ query: String?) throws(Refusal) {
        var values: [String: String] = [:]
        for pair in (query ?? "").split(separator: "&", omittingEmptySubsequences: true) {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0])
            guard Self.names.contains(name) else {
                let known = Self.names.joined(separator: ", ")
                throw Refusal(message: "\(name.prefix(Self.longestName)): unknown parameter; known are \(known)")
            }
            guard parts.count == 2, let value = String(parts[1]).removingPercentEncoding, BoundedText.accepts(value)
            else {
                throw Refusal(
                    message: """
                        \(name): expected a percent-encoded value of 1 to \(BoundedText.maximumBytes) bytes \
                        without control characters
                        """)
            }
            guard values.updateValue(value, forKey: name) == nil else {
                throw Refusal(message: "\(name): given twice")
            }
        }
        subject = try Self.subject(values)
        environment = try Self.environment(values)
        bundleId = values[ReadAPIName.bundleId].map { BundleId($0) }
        at = try Self.at(values)
    }

    private static let names = [
        ReadAPIName.appAccountToken, ReadAPIName.originalTransactionId, ReadAPIName.environment,
        ReadAPIName.bundleId, ReadAPIName.at,
    ]

    /// Characters of an unknown parameter's name that are repeated to the client.
    private static let longestName = 64

    private static func subject(_ values: [String: String]) throws(Refusal) -> EntitlementsReader.Subject {
        switch (values[ReadAPIName.appAccountToken], values[ReadAPIName.originalTransactionId]) {
        case (let token?, nil):
            let token = AppAccountToken(token)
            guard token.isWellFormed else {
                throw Refusal(message: "\(ReadAPIName.appAccountToken): expected a UUID")
            }
            return .appAccountToken(token)
        case (nil, let id?): return .originalTransactionId(OriginalTransactionId(id))
        default:
            throw Refusal(
                message: "give one of \(ReadAPIName.appAccountToken) and \(ReadAPIName.originalTransactionId)")
        }
    }

    private static func environment(_ values: [String: String]) throws(Refusal) -> RecordEnvironment {
        guard let text = values[ReadAPIName.environment] else { return .production }
        guard let environment = RecordEnvironment(rawValue: text) else {
            throw Refusal(message: "\(ReadAPIName.environment): expected Production or Sandbox")
        }
        return environment
    }

    private static func at(_ values: [String: String]) throws(Refusal) -> AppStoreInstant? {
        guard let text = values[ReadAPIName.at] else { return nil }
        let instant =
            Int64(text).flatMap { AppStoreInstant(millisecondsSince1970: $0) } ?? AppStoreInstant(rfc3339: text)
        guard let instant else {
            throw Refusal(
                message:
                    "\(ReadAPIName.at): expected RFC 3339, such as 2026-11-21T10:00:00Z, or milliseconds since 1970"
            )
        }
        return instant
    }
}
