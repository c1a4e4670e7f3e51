import AppStoreSigning
import AppStoreTestSupport
import Cryptography
import HTTPServer

/// One behavior of a leaf's responder, and the resulting status of the leaf.
struct OCSPCase: Sendable, CustomStringConvertible {
    enum Knowledge: Sendable { case good, revoked, nothing }

    /// The response to send.
    enum Reply: Sendable {
        /// A response signed by the responder in its current state.
        case signed(OCSPResponder.Status)
        case raw([UInt8])
        case answer(HTTPResponse)
        /// No response until the test releases it.
        case held
    }

    typealias Rule =
        @Sendable (_ responder: inout OCSPResponder, _ authority: Authority, _ request: [UInt8]) throws -> Reply

    let name: String
    let knowledge: Knowledge
    /// The outcome that is counted for it.
    let outcome: String
    let rule: Rule

    init(_ name: String, _ knowledge: Knowledge, _ outcome: String, _ rule: @escaping Rule) {
        self.name = name
        self.knowledge = knowledge
        self.outcome = outcome
        self.rule = rule
    }

    var description: String { name }

    /// A root, and an intermediate and a leaf per case. The certificates name the test's responder.
    struct Authority: Sendable {
        let kit: SigningKit
        let now: Int64

        init(port: UInt16, name: String, now: Int64) throws {
            var options = TestCertificateAuthority.Options(now: now / 1000)
            options.leafOCSPAddress = "http://127.0.0.1:\(port)/\(name)/leaf"
            options.intermediateOCSPAddress = "http://127.0.0.1:\(port)/\(name)/intermediate"
            kit = SigningKit(pki: try TestCertificateAuthority(options))
            self.now = now
        }

        /// Returns a different notification at each call.
        func body() throws -> [UInt8] {
            var draft = NotificationDraft.test
            draft.outer["signedDate"] = "\(now - 60_000)"
            return try kit.body(draft)
        }

        /// Returns a certificate under the intermediate, with or without the right to sign OCSP responses.
        func delegate(mayAnswer: Bool = true) throws -> SigningKit.Holder {
            var builder = CertificateBuilder(
                subject: [.init("CN", "OCSP responder")],
                validity: CertificateValidity(notBefore: now / 1000 - 3600, notAfter: now / 1000 + 86_400),
                extensions: [.basicConstraints(isAuthority: false), .digitalSignature])
            if mayAnswer { builder.extensions.append(.ocspSigning) }
            let issuer = try kit.intermediate()
            let key = try PrivateKey.generate(.p256)
            return SigningKit.Holder(
                certificate: try builder.issued(for: key, by: issuer.certificate, authorityKey: issuer.key), key: key)
        }
    }
}

extension OCSPResponder {
    fileprivate mutating func signs(_ holder: SigningKit.Holder) {
        signer = holder.certificate
        key = holder.key
    }
}

extension OCSPCase {
    static let slow = OCSPCase("slow", .nothing, "good") { _, _, _ in .held }

    static let all: [OCSPCase] = [slow] + good + revoked + nothings

    private static let good: [OCSPCase] = [
        OCSPCase("good", .good, "good") { _, _, _ in .signed(.good) },
        OCSPCase("good-delegated", .good, "good") { responder, authority, _ in
            responder.signs(try authority.delegate())
            return .signed(.good)
        },
        OCSPCase("good-without-nonce", .good, "good") { responder, _, _ in
            responder.nonceRule = .leaveOut
            return .signed(.good)
        },
        OCSPCase("good-without-next-update", .good, "good") { responder, _, _ in
            responder.nextUpdateOffset = nil
            return .signed(.good)
        },
        OCSPCase("good-named-by-key", .good, "good") { responder, _, _ in
            responder.isNamedByKey = true
            return .signed(.good)
        },
    ]

    private static let revoked: [OCSPCase] = [
        OCSPCase("revoked", .revoked, "revoked") { _, authority, _ in
            .signed(.revoked(at: authority.now / 1000 - 60, reason: 1))
        },
        OCSPCase("revoked-delegated", .revoked, "revoked") { responder, authority, _ in
            responder.signs(try authority.delegate())
            return .signed(.revoked(at: authority.now / 1000 - 60, reason: 1))
        },
        OCSPCase("revoked-and-stale", .revoked, "revoked") { responder, authority, _ in
            responder.thisUpdateOffset = -7200
            responder.nextUpdateOffset = -3600
            return .signed(.revoked(at: authority.now / 1000 - 7200, reason: 1))
        },
    ]

    private static let nothings: [OCSPCase] = [
        OCSPCase("unknown", .nothing, "unknownCertificate") { _, _, _ in .signed(.unknown) },
        OCSPCase("stale", .nothing, "stale") { responder, _, _ in
            responder.thisUpdateOffset = -7200
            responder.nextUpdateOffset = -3600
            return .signed(.good)
        },
        OCSPCase("ahead", .nothing, "stale") { responder, _, _ in
            responder.thisUpdateOffset = 3600
            return .signed(.good)
        },
        OCSPCase("wrong-nonce", .nothing, "wrongNonce") { responder, _, _ in
            responder.nonceRule = .change
            return .signed(.good)
        },
        OCSPCase("wrong-responder", .nothing, "badResponder") { responder, _, _ in
            let untrusted = try SigningKit.imposter().pki
            responder.signs(SigningKit.Holder(certificate: untrusted.leaf, key: untrusted.leafKey))
            return .signed(.good)
        },
        OCSPCase("of-the-same-name", .nothing, "badSignature") { responder, _, _ in
            responder.signs(try SigningKit.imposter().intermediate())
            return .signed(.good)
        },
        OCSPCase("delegate-without-purpose", .nothing, "badResponder") { responder, authority, _ in
            responder.signs(try authority.delegate(mayAnswer: false))
            return .signed(.good)
        },
        OCSPCase("the-leaf-for-itself", .nothing, "badResponder") { responder, authority, _ in
            let pki = authority.kit.pki
            responder.signs(SigningKit.Holder(certificate: pki.leaf, key: pki.leafKey))
            return .signed(.good)
        },
        OCSPCase("weak-signature", .nothing, "badSignature") { responder, _, _ in
            responder.digest = .sha1
            return .signed(.good)
        },
        OCSPCase("another-certificate", .nothing, "wrongCertificate") { responder, authority, _ in
            responder.nonceRule = .leaveOut
            let other = try authority.kit.leaf()
            let request = try OCSPRequest(subject: other.certificate, issuer: authority.kit.pki.intermediate)
            return .raw(try responder.answer(request: request.der, at: authority.now / 1000) { _ in .good })
        },
        OCSPCase("malformed", .nothing, "malformed") { _, _, _ in .raw(Array("hello".utf8)) },
        OCSPCase("bytes-after-it", .nothing, "malformed") { responder, authority, request in
            .raw(try responder.answer(request: request, at: authority.now / 1000) { _ in .good } + [0])
        },
        OCSPCase("try-later", .nothing, "unsuccessful") { _, _, _ in .raw(OCSPResponder.unsuccessful(status: 3)) },
        OCSPCase("unauthorized", .nothing, "unsuccessful") { _, _, _ in .raw(OCSPResponder.unsuccessful(status: 6)) },
        OCSPCase("oversized", .nothing, "unreachable") { responder, authority, request in
            let answer = try responder.answer(request: request, at: authority.now / 1000) { _ in .good }
            return .raw(answer + [UInt8](repeating: 0, count: 1 << 20))
        },
        OCSPCase("no-answer", .nothing, "unreachable") { _, _, _ in .answer(HTTPResponse(status: 503, reason: "down"))
        },
        OCSPCase("redirected", .nothing, "unreachable") { _, _, _ in
            .answer(HTTPResponse(status: 302, reason: "moved", headers: [("Location", "/good/leaf")]))
        },
        OCSPCase("unreachable", .nothing, "unreachable") { _, _, _ in .signed(.good) },
    ]
}
