/// The reason why a version 1 body or a status update body cannot become a record. Equality compares the code and the
/// detail.
public struct LegacyError: Error, Hashable, Sendable, CustomStringConvertible {
    /// All causes of parsing failures.
    public enum Code: String, Sendable, CaseIterable {
        /// `notification_type` is absent or not a string.
        case form
        /// `environment` is neither `PROD` nor `Sandbox`.
        case environment
        /// The receipt and the body have different environments.
        case environmentMismatch = "environment_mismatch"
        /// The body names an app other than the one for which it was received.
        case otherApp = "other_app"
        /// An array in the receipt exceeds the maximum length (``LegacyNotification/maximumElements``).
        case tooManyElements = "too_many_elements"
        /// A part of the receipt or another field does not have its documented JSON type, or the environment in the
        /// receipt is unknown.
        case receipt
        /// A string to be copied is too long, contains control characters, or violates its grammar.
        case text
    }

    /// The response to a sender that knows the password. Apple keeps no history of these bodies, so a rejected body is
    /// lost.
    public enum Outcome: Sendable {
        /// The body belongs to a different app. The status is 403.
        case forbidden
        /// The body comes from a client with the secret but is unreadable. It is quarantined without its secrets, and
        /// the status is 200.
        case quarantined
    }

    public let code: Code
    /// A fixed string that contains no part of the body.
    public let detail: String

    init(_ code: Code, _ detail: StaticString) {
        self.code = code
        self.detail = "\(detail)"
    }

    public var outcome: Outcome {
        switch code {
        case .otherApp: .forbidden
        case .form, .environment, .environmentMismatch, .tooManyElements, .receipt, .text: .quarantined
        }
    }

    public var description: String { "\(code.rawValue): \(detail)" }
}
