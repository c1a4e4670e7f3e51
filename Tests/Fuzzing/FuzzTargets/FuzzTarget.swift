package import TestSupport

/// A parser of untrusted bytes, with properties that must hold for all inputs.
package struct FuzzTarget: Sendable {
    /// The name in `TARGET=`.
    package let name: String
    /// Initial inputs.
    package let seeds: [[UInt8]]
    /// Tokens with a meaning to the parser, used by mutations.
    package let tokens: [String]
    /// The maximum useful input length, in bytes.
    package let maximumBytes: Int
    /// Generates a well-formed input; nil if the seeds are sufficient.
    package let generate: (@Sendable (inout SeededGenerator) -> [UInt8])?
    /// Parses the bytes in every supported way. A trap is also a finding: it ends the process.
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

/// A violated property.
package struct Violation: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}

/// Throws a violation if the condition is false.
func hold(_ condition: Bool, _ message: @autoclosure () -> String) throws(Violation) {
    guard condition else { throw Violation(message()) }
}

extension FuzzTarget {
    /// Returns all targets. The targets that need certificates share `material`.
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
