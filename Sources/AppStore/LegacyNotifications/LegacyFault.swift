/// Why the body of a version 1 or status update notification cannot become a record. Equality compares code and detail.
public struct LegacyFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// Closed: reading knows no other.
    public enum Code: String, Sendable, CaseIterable {
        /// `notification_type` is absent, or is no text.
        case form
        /// `environment` is neither `PROD` nor `Sandbox`.
        case environment
        /// The receipt says another environment than the body.
        case environmentMismatch = "environment_mismatch"
        /// The body names another app than the one it was received for.
        case otherApp = "other_app"
        /// More elements in an array of the receipt than are read (``LegacyNotification/maximumElements``).
        case tooManyElements = "too_many_elements"
        /// A part of the receipt is of another JSON kind than documented.
        case receipt
        /// A text that would be copied is too long, has control characters or does not follow its grammar.
        case text
    }

    /// The answer to a sender who knew the password: Apple keeps no history of these bodies, so a refused one is lost.
    public enum Outcome: Sendable {
        /// It is another app's: 403.
        case forbidden
        /// It is from someone who knows the secret but cannot be read: quarantined with its secrets removed, 200.
        case quarantined
    }

    public let code: Code
    /// Constant text without any of the body's content.
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
