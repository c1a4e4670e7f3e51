package import TestSupport

/// A reader of foreign bytes, and what must hold whatever the bytes are.
package struct FuzzTarget: Sendable {
    /// As `TARGET=` names it.
    package let name: String
    /// Inputs to begin with.
    package let seeds: [[UInt8]]
    /// Texts that the reader knows, for mutations.
    package let tokens: [String]
    /// Longest input worth making, in bytes.
    package let maximumBytes: Int
    /// A well-formed input of its own making; nil where the seeds are enough.
    package let generate: (@Sendable (inout SeededGenerator) -> [UInt8])?
    /// Reads the bytes every way there is. A trap is a finding too, but the process's end reports it.
    package let check: @Sendable ([UInt8]) throws(Violation) -> Void

    package init(
        _ name: String, seeds: [[UInt8]], tokens: [String] = [], maximumBytes: Int = 4096,
        generate: (@Sendable (inout SeededGenerator) -> [UInt8])? = nil,
        check: @escaping @Sendable ([UInt8]) throws(Violation) -> Void
    ) {
        self.name = name
        self.seeds = seeds
        self.tokens = tokens
        self.maximumBytes = maximumBytes
        self.generate = generate
        self.check = check
    }
}

/// A property that does not hold.
package struct Violation: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}

/// Throws a violation when the condition does not hold.
func hold(_ condition: Bool, _ message: @autoclosure () -> String) throws(Violation) {
    guard condition else { throw Violation(message()) }
}

extension FuzzTarget {
    /// All targets. Those that need certificates share `material`.
    package static func all(_ material: SignedMaterial) throws -> [FuzzTarget] {
        [
            requestHead, requestBody, connection, json, base64, properties, refundRules, refundAnswer, apiAnswer,
            legacyBody, archiveFiles,
            try certificate(material), try ocspResponse(material),
            try signature(material), try fixedKey(material), try notificationBody(material),
            try signedPayload(material),
            try notificationRecord(material), try entitlementFacts(material),
        ]
    }
}
