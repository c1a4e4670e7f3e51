package import AppStoreVerification

/// A verdict, as written in the tables.
package enum ExpectedVerdict: Equatable, Sendable, CustomStringConvertible {
    case accepted
    /// Accepted for the sandbox topic although the app is configured without the sandbox.
    case sandbox
    case duplicate
    case nonconforming(Reason)
    case notForUs(Reason)
    case badRequest(Reason)
    case forbidden(Reason)
    case retryLater(Reason)
    case legacy

    package init(_ verdict: Verdict) {
        switch verdict {
        case .accepted(let notification): self = notification.reason == .sandbox ? .sandbox : .accepted
        case .duplicate: self = .duplicate
        case .nonconforming(let notification): self = .nonconforming(notification.reason)
        case .notForUs(let refusal): self = .notForUs(refusal.reason)
        case .notApple(let refusal):
            self = refusal.status == 400 ? .badRequest(refusal.reason) : .forbidden(refusal.reason)
        case .retryLater(let refusal): self = .retryLater(refusal.reason)
        case .legacy: self = .legacy
        }
    }

    package var description: String {
        switch self {
        case .accepted: "accepted"
        case .sandbox: "sandbox"
        case .duplicate: "duplicate"
        case .nonconforming(let reason): "nonconforming \(reason)"
        case .notForUs(let reason): "notForUs \(reason)"
        case .badRequest(let reason): "badRequest \(reason)"
        case .forbidden(let reason): "forbidden \(reason)"
        case .retryLater(let reason): "retryLater \(reason)"
        case .legacy: "legacy"
        }
    }
}
