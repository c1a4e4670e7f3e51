import Testing

@testable import AppStoreVerification

/// A verdict as a table writes it.
enum ExpectedVerdict: Equatable, Sendable, CustomStringConvertible {
    case accepted
    /// For the sandbox topic of an app configured without it.
    case sandbox
    case odd(Reason)
    case notForUs(Reason)
    case badRequest(Reason)
    case forbidden(Reason)
    case retryLater(Reason)
    case tooManyNewChains
    case legacy

    init(_ verdict: Verdict) {
        switch verdict {
        case .accepted(let notification): self = notification.reason == .sandbox ? .sandbox : .accepted
        case .odd(let odd): self = .odd(odd.reason)
        case .notForUs(let refusal): self = .notForUs(refusal.reason)
        case .notApple(let refusal):
            self = refusal.statusClass == .badRequest ? .badRequest(refusal.reason) : .forbidden(refusal.reason)
        case .retryLater(let refusal): self = .retryLater(refusal.reason)
        case .tooManyNewChains: self = .tooManyNewChains
        case .legacy: self = .legacy
        }
    }

    var description: String {
        switch self {
        case .accepted: "accepted"
        case .sandbox: "sandbox"
        case .odd(let reason): "odd \(reason)"
        case .notForUs(let reason): "notForUs \(reason)"
        case .badRequest(let reason): "badRequest \(reason)"
        case .forbidden(let reason): "forbidden \(reason)"
        case .retryLater(let reason): "retryLater \(reason)"
        case .tooManyNewChains: "tooManyNewChains"
        case .legacy: "legacy"
        }
    }
}

/// One hostile or harmless input: the row of the threat model, how its body is made, and what the verdict must be.
struct HostileInput: Sendable, CustomTestStringConvertible {
    let id: String
    let name: String
    let expected: ExpectedVerdict
    let body: @Sendable (SigningKit) throws -> [UInt8]

    init(
        _ id: String, _ name: String, _ expected: ExpectedVerdict,
        body: @escaping @Sendable (SigningKit) throws -> [UInt8]
    ) {
        self.id = id
        self.name = name
        self.expected = expected
        self.body = body
    }

    /// A row whose body is `{"signedPayload":…}` around a compact JWS.
    init(
        _ id: String, _ name: String, _ expected: ExpectedVerdict,
        jws: @escaping @Sendable (SigningKit) throws -> String
    ) {
        self.init(id, name, expected, body: { SigningKit.body(try jws($0)) })
    }

    /// A row whose notification is good but for what `change` does.
    init(
        _ id: String, _ name: String, _ expected: ExpectedVerdict, _ draft: NotificationDraft = NotificationDraft(),
        change: @escaping @Sendable (inout NotificationDraft) -> Void
    ) {
        self.init(
            id, name, expected,
            body: {
                var draft = draft
                change(&draft)
                return try $0.body(draft)
            })
    }

    var testDescription: String { "\(id) \(name)" }

    /// The verdict must be the same for a verifier that has seen nothing and for one that knows the good header, which
    /// takes another way through the code.
    func check() throws {
        let kit = try SigningKit.shared()
        let body = try body(kit)
        let cold = try kit.verifier().verify(body: body, at: SigningKit.now)
        #expect(ExpectedVerdict(cold) == expected, "without a known header")
        let verifier = try kit.verifier()
        let first = verifier.verify(body: try kit.body(), at: SigningKit.now)
        #expect(ExpectedVerdict(first) == .accepted)
        let warm = verifier.verify(body: body, at: SigningKit.now)
        #expect(ExpectedVerdict(warm) == expected, "with a known header")
    }
}
