import AppStoreSigning
import AppStoreTestSupport
import Cryptography
import Synchronization
import TestSupport
import Testing

@testable import AppStoreVerification

/// Check 12: rows H-89 and H-90, with a requester that responds from memory.
@Suite struct RevocationTests {
    private static let now = SigningKit.now
    private static let hour: Int64 = 3_600_000

    private static let made = Result {
        try initializeCryptography()
        return SigningKit(pki: try TestCertificateAuthority(options))
    }

    private static var options: TestCertificateAuthority.Options {
        var options = SigningKit.options
        options.leafOCSPAddress = "http://ocsp.example.com/leaf"
        options.intermediateOCSPAddress = "http://ocsp.example.com/intermediate"
        return options
    }

    /// Responds for both authorities, and records the requested addresses.
    final class Responders: OCSPRequester {
        struct Unreachable: Error {}
        typealias Rule = @Sendable (_ responder: inout OCSPResponder, _ address: String) throws -> OCSPResponder.Status

        let kit: SigningKit
        private let rule: Mutex<Rule>
        private let asked = Mutex<[String]>([])
        let clock: Mutex<Int64>

        init(_ kit: SigningKit, at now: Int64 = RevocationTests.now, rule: @escaping Rule) {
            self.kit = kit
            self.rule = Mutex(rule)
            clock = Mutex(now)
        }

        var addresses: [String] { asked.withLock { $0 } }

        func setRule(_ new: @escaping Rule) { rule.withLock { $0 = new } }

        func answer(to request: [UInt8], address: String, timeout: Duration) async throws -> [UInt8] {
            asked.withLock { $0.append(address) }
            let issuer = address.hasSuffix("leaf") ? try kit.intermediate() : try kit.root()
            var responder = OCSPResponder(issuer: issuer.certificate, signer: issuer.certificate, key: issuer.key)
            let rule = rule.withLock { $0 }
            let status = try rule(&responder, address)
            return try responder.answer(request: request, at: clock.withLock { $0 } / 1000) { _ in status }
        }
    }

    private static func verifier(
        _ policy: RevocationPolicy, _ rule: @escaping Responders.Rule = { _, _ in .good }
    ) throws -> (NotificationVerifier, Responders, [UInt8]) {
        let kit = try made.get()
        let responders = Responders(kit, rule: rule)
        let verifier = try NotificationVerifier(
            kit.configuration { $0.revocation = policy }, requester: responders)
        return (verifier, responders, try kit.body())
    }

    private static func ask(_ verifier: NotificationVerifier, at time: Int64) async {
        await verifier.revocation.askDueQuestions { time }
    }

    @Test func `strict revocation asks Apple to retry until the responses have arrived`() async throws {
        let (verifier, responders, body) = try Self.verifier(.strict)
        #expect(ExpectedVerdict(verifier.verify(body: body, at: Self.now)) == .retryLater(.revocationUnknown))
        await Self.ask(verifier, at: Self.now)
        #expect(ExpectedVerdict(verifier.verify(body: body, at: Self.now)) == .accepted)
        #expect(
            responders.addresses.sorted() == ["http://ocsp.example.com/intermediate", "http://ocsp.example.com/leaf"])
        let status = verifier.revocationStatus(at: Self.now)
        #expect(status.good == 2)
        #expect(status.outcomes == ["good": 2])
        #expect(!status.needsAttention)
    }

    @Test func `soft revocation accepts, counts, and alerts after five minutes`() async throws {
        let (verifier, _, body) = try Self.verifier(.soft) { _, _ in throw Responders.Unreachable() }
        #expect(ExpectedVerdict(verifier.verify(body: body, at: Self.now)) == .accepted)
        await Self.ask(verifier, at: Self.now)
        #expect(ExpectedVerdict(verifier.verify(body: body, at: Self.now + 1)) == .accepted)
        let status = verifier.revocationStatus(at: Self.now + 299_999)
        #expect(status.unknown == 2)
        #expect(status.outcomes == ["unreachable": 2])
        #expect(status.acceptedUnknown == 2)
        #expect(!status.needsAttention)
        #expect(verifier.revocationStatus(at: Self.now + 300_000).needsAttention)
    }

    @Test func `a chain that verified no notification for our apps is not checked and raises no alert`() async throws {
        let (verifier, responders, _) = try Self.verifier(.soft) { _, _ in throw Responders.Unreachable() }
        let kit = try Self.made.get()
        let other = try kit.body(.with { $0.identity["bundleId"] = "\"com.example.other\"" })
        verifier.verify(body: other, at: Self.now).expect(.notForUs(.audience))
        let transaction = SigningKit.body(try kit.sign(NotificationDraft().transaction?.text ?? ""))
        verifier.verify(body: transaction, at: Self.now).expect(.notForUs(.typeConfusion))
        let years: Int64 = 20 * 365 * 24 * Self.hour
        verifier.verify(body: try kit.body(), at: Self.now + years).expect(.forbidden(.certificateTime))
        await Self.ask(verifier, at: Self.now + years)
        #expect(responders.addresses.isEmpty)
        let status = verifier.revocationStatus(at: Self.now + years)
        #expect(status.unknown == 0)
        #expect(status.acceptedUnknown == 0)
        #expect(!status.needsAttention)
    }

    @Test func `strict revocation rejects notifications for other apps without a check`() async throws {
        let (verifier, responders, _) = try Self.verifier(.strict)
        let kit = try Self.made.get()
        let other = try kit.body(.with { $0.identity["bundleId"] = "\"com.example.other\"" })
        verifier.verify(body: other, at: Self.now).expect(.notForUs(.audience))
        await Self.ask(verifier, at: Self.now)
        #expect(responders.addresses.isEmpty)
    }

    @Test func `a leaf that Apple no longer uses raises no alert after an hour and is evicted after two days`()
        async throws
    {
        let (verifier, responders, body) = try Self.verifier(.soft) { _, _ in throw Responders.Unreachable() }
        verifier.verify(body: body, at: Self.now).expect(.accepted)
        await Self.ask(verifier, at: Self.now)
        #expect(verifier.revocationStatus(at: Self.now + Self.hour).needsAttention)
        let status = verifier.revocationStatus(at: Self.now + Self.hour + 1)
        #expect(!status.needsAttention)
        #expect(status.unknown == 0)
        await Self.ask(verifier, at: Self.now + 48 * Self.hour - 1)
        let asked = responders.addresses.count
        #expect(asked == 4)
        await Self.ask(verifier, at: Self.now + 96 * Self.hour)
        #expect(responders.addresses.count == asked)
    }

    /// A known header is renewed every 15 minutes. Its certificates count as in use because their statuses are looked
    /// up each time. If the statuses were copied instead, the certificates would be evicted after two days and then
    /// remain unknown.
    @Test func `certificates are checked as long as notifications use them`() async throws {
        let (verifier, responders, body) = try Self.verifier(.strict)
        verifier.verify(body: body, at: Self.now).expect(.retryLater(.revocationUnknown))
        for step in 0..<144 as Range<Int64> {
            let time = Self.now + step * Self.hour / 2
            responders.clock.withLock { $0 = time }
            await Self.ask(verifier, at: time)
            verifier.verify(body: body, at: time).expect(.accepted)
        }
        #expect(responders.addresses.count > 6)
    }

    @Test func `with revocation off, no responder is contacted`() async throws {
        let (verifier, responders, body) = try Self.verifier(.off)
        #expect(ExpectedVerdict(verifier.verify(body: body, at: Self.now)) == .accepted)
        await Self.ask(verifier, at: Self.now)
        await verifier.runRevocationChecks { Self.now }
        #expect(responders.addresses.isEmpty)
    }

    @Test(arguments: [RevocationPolicy.strict, .soft], ["leaf", "intermediate"])
    func `a revoked certificate is rejected immediately, and its cached chain is evicted`(
        _ policy: RevocationPolicy, _ which: String
    ) async throws {
        let (verifier, responders, body) = try Self.verifier(policy)
        _ = verifier.verify(body: body, at: Self.now)
        await Self.ask(verifier, at: Self.now)
        #expect(ExpectedVerdict(verifier.verify(body: body, at: Self.now)) == .accepted)
        responders.setRule { _, address in
            address.hasSuffix(which) ? .revoked(at: Self.now / 1000 - 60, reason: 1) : .good
        }
        let later = Self.now + 11 * Self.hour
        responders.clock.withLock { $0 = later }
        await Self.ask(verifier, at: later)
        #expect(ExpectedVerdict(verifier.verify(body: body, at: later)) == .forbidden(.revoked))
        #expect(verifier.objects.cache.counts == (headers: 0, paths: 0))
        #expect(ExpectedVerdict(verifier.verify(body: body, at: later + 1)) == .forbidden(.revoked))
        #expect(verifier.revocationStatus(at: later).revoked == 1)
        #expect(verifier.revocationStatus(at: later).needsAttention)
    }

    @Test func `replays under a revoked leaf leave the cached chains of other leaves in place`() async throws {
        let kit = try Self.made.get()
        let old = try kit.leaf { $0.extensions.append(.ocspAddress("http://ocsp.example.com/leaf")) }
        let header = JWSSigner.header(chain: [old.certificate, kit.pki.intermediate, kit.pki.root])
        let payload = try NotificationDraft().payload { try kit.sign($0, header: header, key: old.key) }
        let replay = SigningKit.body(try kit.sign(payload, header: header, key: old.key))
        let body = try kit.body()
        let requester = RevokingOne(kit: kit, serial: old.certificate.serialNumber)
        let verifier = try NotificationVerifier(kit.configuration { $0.revocation = .soft }, requester: requester)
        verifier.verify(body: replay, at: Self.now).expect(.accepted)
        verifier.verify(body: body, at: Self.now).expect(.accepted)
        await Self.ask(verifier, at: Self.now)
        verifier.verify(body: replay, at: Self.now).expect(.forbidden(.revoked))
        #expect(verifier.objects.cache.counts == (headers: 1, paths: 1))
        let validations = verifier.chainValidations
        verifier.verify(body: body, at: Self.now).expect(.accepted)
        #expect(verifier.chainValidations == validations)
    }

    @Test func `a nested object under a revoked leaf is rejected`() async throws {
        let kit = try Self.made.get()
        let other = try kit.leaf { $0.extensions.append(.ocspAddress("http://ocsp.example.com/leaf")) }
        let serial = other.certificate.serialNumber
        let header = JWSSigner.header(chain: [other.certificate, kit.pki.intermediate, kit.pki.root])
        let payload = try NotificationDraft().payload { try kit.sign($0, header: header, key: other.key) }
        let body = SigningKit.body(try kit.sign(payload))
        let requester = RevokingOne(kit: kit, serial: serial)
        let verifier = try NotificationVerifier(kit.configuration { $0.revocation = .soft }, requester: requester)
        #expect(ExpectedVerdict(verifier.verify(body: body, at: Self.now)) == .accepted)
        await Self.ask(verifier, at: Self.now)
        #expect(ExpectedVerdict(verifier.verify(body: body, at: Self.now)) == .nonconforming(.profileNested))
    }

    /// Reports one serial number as revoked.
    private struct RevokingOne: OCSPRequester {
        let kit: SigningKit
        let serial: String

        func answer(to request: [UInt8], address: String, timeout: Duration) async throws -> [UInt8] {
            let issuer = address.hasSuffix("leaf") ? try kit.intermediate() : try kit.root()
            let responder = OCSPResponder(issuer: issuer.certificate, signer: issuer.certificate, key: issuer.key)
            return try responder.answer(request: request, at: RevocationTests.now / 1000) {
                $0 == serial ? .revoked(at: RevocationTests.now / 1000, reason: 1) : .good
            }
        }
    }

    @Test(arguments: nothings)
    func `a response that proves nothing changes nothing`(_ nothing: Nothing) async throws {
        let (verifier, _, body) = try Self.verifier(.strict, nothing.rule)
        _ = verifier.verify(body: body, at: Self.now)
        await Self.ask(verifier, at: Self.now)
        #expect(ExpectedVerdict(verifier.verify(body: body, at: Self.now)) == .retryLater(.revocationUnknown))
        #expect(verifier.revocationStatus(at: Self.now).outcomes == [nothing.outcome: 2])
    }

    struct Nothing: Sendable, CustomTestStringConvertible {
        let outcome: String
        let rule: Responders.Rule
        var testDescription: String { outcome }
    }

    static let nothings: [Nothing] = [
        Nothing(outcome: "unreachable") { _, _ in throw Responders.Unreachable() },
        Nothing(outcome: "unknownCertificate") { _, _ in .unknown },
        Nothing(outcome: "wrongNonce") { responder, _ in
            responder.nonceRule = .change
            return .good
        },
        Nothing(outcome: "stale") { responder, _ in
            responder.thisUpdateOffset = -7200
            responder.nextUpdateOffset = -61
            return .good
        },
        Nothing(outcome: "badSignature") { responder, _ in
            responder.digest = .sha1
            return .good
        },
        Nothing(outcome: "badResponder") { responder, _ in
            let untrusted = try TestCertificateAuthority(SigningKit.options)
            responder.signer = untrusted.leaf
            responder.key = untrusted.leafKey
            return .good
        },
    ]

    @Test(arguments: [(nil, 24), (12, 12), (7 * 24, 24)] as [(Int64?, Int64)])
    func `a good response is valid until its next update, for at most a day`(
        _ next: Int64?, _ hours: Int64
    ) async throws {
        let (verifier, _, body) = try Self.verifier(.strict) { responder, _ in
            responder.thisUpdateOffset = 0
            responder.nextUpdateOffset = next.map { $0 * 3600 }
            return .good
        }
        _ = verifier.verify(body: body, at: Self.now)
        await Self.ask(verifier, at: Self.now)
        let end = Self.now + hours * Self.hour
        #expect(ExpectedVerdict(verifier.verify(body: body, at: end)) == .accepted)
        #expect(ExpectedVerdict(verifier.verify(body: body, at: end + 1)) == .retryLater(.revocationUnknown))
    }

    @Test func `an outage does not discard known responses`() async throws {
        let (verifier, responders, body) = try Self.verifier(.strict)
        _ = verifier.verify(body: body, at: Self.now)
        await Self.ask(verifier, at: Self.now)
        responders.setRule { _, _ in throw Responders.Unreachable() }
        await Self.ask(verifier, at: Self.now + 11 * Self.hour)
        #expect(ExpectedVerdict(verifier.verify(body: body, at: Self.now + 11 * Self.hour)) == .accepted)
        #expect(verifier.revocationStatus(at: Self.now).outcomes == ["good": 2, "unreachable": 2])
    }

    @Test(.timeLimit(.minutes(5)))
    func `an unresponsive responder does not delay the others`() async throws {
        let first = try Self.made.get()
        let second = SigningKit(pki: try TestCertificateAuthority(Self.options))
        let requester = SilentFor(allBut: Responders(second) { _, _ in .good })
        let verifier = try NotificationVerifier(
            second.configuration {
                $0.revocation = .strict
                $0.roots.append(first.pki.root.der)
            }, requester: requester)
        _ = verifier.verify(body: try first.body(.test), at: Self.now)
        let asking = Task {
            await verifier.revocation.run(clock: { Self.now }, pause: .milliseconds(1))
        }
        try await waitUntil { requester.silences == 2 }
        let body = try second.body(.test)
        #expect(await eventually { ExpectedVerdict(verifier.verify(body: body, at: Self.now)) == .accepted })
        asking.cancel()
        await asking.value
    }

    /// Responds for only one of the authorities.
    private final class SilentFor: OCSPRequester {
        private let others: Responders
        private let count = Mutex(0)

        init(allBut others: Responders) { self.others = others }

        /// The number of requests without a response.
        var silences: Int { count.withLock { $0 } }

        func answer(to request: [UInt8], address: String, timeout: Duration) async throws -> [UInt8] {
            let answer = try await others.answer(to: request, address: address, timeout: timeout)
            // Certificates of another authority, for which the responders have no response.
            guard answer.count < 16 else { return answer }
            count.withLock { $0 += 1 }
            try await untilCancelled()
        }
    }

    @Test func `no responder is queried about a certificate chain before a signature verified under it`() async throws {
        let (verifier, responders, _) = try Self.verifier(.strict)
        let kit = try Self.made.get()
        let forged = SigningKit.body(try kit.jws(chain: kit.pki.chain, key: .generate(.p256)))
        #expect(ExpectedVerdict(verifier.verify(body: forged, at: Self.now)) == .forbidden(.signature))
        await Self.ask(verifier, at: Self.now)
        #expect(responders.addresses.isEmpty)
    }

    @Test func `a certificate without a responder address cannot be checked`() async throws {
        let kit = try SigningKit.shared()
        let responders = Responders(kit) { _, _ in .good }
        let verifier = try NotificationVerifier(kit.configuration { $0.revocation = .strict }, requester: responders)
        _ = verifier.verify(body: try kit.body(), at: Self.now)
        await Self.ask(verifier, at: Self.now)
        #expect(responders.addresses.isEmpty)
        #expect(verifier.revocationStatus(at: Self.now).outcomes == ["noAddress": 2])
    }
}
