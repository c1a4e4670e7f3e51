import AppStoreModel
package import AppStoreVerification
import Synchronization
import TestSupport

/// Verifies mutated bodies of known notifications, and checks that the verifier's result is allowed.
package final class MutantJudge: Sendable {
    private struct Original: Sendable {
        let payload: [UInt8]
        let signature: [UInt8]
    }

    private let verifier: NotificationVerifier
    private let start: Int64
    /// The originals, keyed by their signed `header.payload`.
    private let originals: [[UInt8]: Original]
    private let judged = Atomic<Int64>(0)

    /// - Parameters:
    ///   - originals: request bodies as posted by the App Store.
    ///   - now: milliseconds since 1970.
    package init(verifier: NotificationVerifier, originals: [[UInt8]], at now: Int64) throws {
        var known: [[UInt8]: Original] = [:]
        for body in originals {
            let jws = SignedMaterial.jws(of: body)
            guard case .accepted = verifier.verify(body: body, at: now), let dot = jws.lastIndex(of: UInt8(ascii: ".")),
                let signature = CompactJWS.decode(String(decoding: jws[(dot + 1)...], as: UTF8.self))
            else { throw Violation("an original is not accepted") }
            known[Array(jws[..<dot])] = Original(payload: try CompactJWS.payload(jws), signature: signature)
        }
        self.verifier = verifier
        start = now
        self.originals = known
    }

    /// Time advances with the number of bodies. Otherwise the rate limit for new certificate chains would stay
    /// exhausted.
    private var now: Int64 { start + judged.wrappingAdd(1, ordering: .relaxed).newValue / 64 }

    /// Verifies a body and returns a short description of the result.
    ///
    /// - Throws: a violation if the body is accepted with another meaning, quarantined, or answered with a status
    ///   that makes Apple retry.
    package func judge(_ body: [UInt8]) throws(Violation) -> String {
        switch verifier.verify(body: body, at: now) {
        case .accepted(let notification): return try accepted(notification)
        case .notForUs(let refusal):
            try hold(refusal.reason == .typeConfusion, "not for us: \(refusal.reason)")
            return "not for us, \(refusal.reason)"
        case .notApple(let refusal):
            try hold(refusal.reason != .internal && refusal.status < 500, "\(refusal.reason)")
            return "refused, \(refusal.reason)"
        case .duplicate: throw Violation("a duplicate, although none is known")
        case .legacy: return "legacy"
        case .nonconforming(let notification):
            throw Violation("nonconforming, although every original is as documented: \(notification.reason)")
        case .retryLater(let refusal): throw Violation("retry later: \(refusal.reason)")
        }
    }

    /// Checks that the signed bytes are original, and that the signature is the original one or its complement (r, n -
    /// s).
    private func accepted(_ notification: VerifiedNotification) throws(Violation) -> String {
        let jws = notification.signedPayload
        guard let dot = jws.lastIndex(of: UInt8(ascii: ".")), let original = originals[Array(jws[..<dot])] else {
            throw Violation("accepted with other signed bytes")
        }
        try hold(notification.notification == original.payload, "accepted with another payload")
        try RebuildCheck.check(notification)
        let signature = CompactJWS.decode(String(decoding: jws[(dot + 1)...], as: UTF8.self)) ?? []
        if signature == original.signature { return "accepted, the same signed bytes and signature" }
        try hold(signature == ReferenceECDSA.twin(of: original.signature), "accepted with a third signature")
        return "accepted, the same signed bytes and the twin of the signature"
    }
}
