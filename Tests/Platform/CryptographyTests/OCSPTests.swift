import Cryptography
import TestSupport
import Testing

struct OCSPTests {
    private static let now = TestAuthority.now

    private let authority: TestAuthority
    private let request: OCSPRequest

    init() throws {
        authority = try TestAuthority.shared.get()
        request = try OCSPRequest(subject: authority.leaf, issuer: authority.intermediate)
    }

    @Test func `a request is small, contains 32 random bytes and is never repeated`() throws {
        #expect(request.nonce.count == 32)
        #expect(request.der.count < 200)
        let other = try OCSPRequest(subject: authority.leaf, issuer: authority.intermediate)
        #expect(other.nonce != request.nonce)
    }

    @Test func `the issuer itself may sign the response`() throws {
        #expect(try answer() == .good(thisUpdate: Self.now - 600, nextUpdate: Self.now + 43_200))
        #expect(try answer { $0.isNamedByKey = true } == good)
        #expect(try answer { $0.includesSigner = false } == good)
        #expect(try answer { $0.nonceRule = .leaveOut } == good)
    }

    @Test func `revocation takes precedence over every check after the signature`() throws {
        let revoked = OCSPAnswer.revoked(at: Self.now - 86_400, reason: 1)
        let status = OCSPResponder.Status.revoked(at: Self.now - 86_400, reason: 1)
        #expect(try answer(status) == revoked)
        let stale = try answer(status) {
            $0.thisUpdateOffset = -90_000
            $0.nextUpdateOffset = -7_200
        }
        #expect(stale == revoked)
        #expect(try answer(status) { $0.thisUpdateOffset = 120 } == revoked)
        #expect(
            try answer(.revoked(at: Self.now, reason: -1)) == .revoked(at: Self.now, reason: nil))
    }

    @Test func `an unknown status provides no new information`() throws {
        #expect(try answer(.unknown) == .nothingNew(.unknownCertificate))
    }

    @Test(
        arguments: [
            (-600, 43_200, true), (30, 43_200, true), (60, 43_200, true), (61, 43_200, false), (120, 43_200, false),
            (-90_000, -30, true), (-90_000, -60, true), (-90_000, -61, false), (-90_000, -120, false),
            (-600, nil, true), (-86_400, nil, true), (-86_401, nil, false),
        ] as [(Int64, Int64?, Bool)])
    func `freshness is checked at the injected time`(thisUpdate: Int64, nextUpdate: Int64?, isFresh: Bool) throws {
        let judged = try answer {
            $0.thisUpdateOffset = thisUpdate
            $0.nextUpdateOffset = nextUpdate
        }
        let fresh = OCSPAnswer.good(thisUpdate: Self.now + thisUpdate, nextUpdate: nextUpdate.map { Self.now + $0 })
        #expect(judged == (isFresh ? fresh : .nothingNew(.stale)))
    }

    @Test func `a response that ends before it begins is malformed`() throws {
        let judged = try answer {
            $0.thisUpdateOffset = 50
            $0.nextUpdateOffset = -50
        }
        #expect(judged == .nothingNew(.malformed))
    }

    @Test func `a response with another nonce or certificate is refused`() throws {
        #expect(try answer { $0.nonceRule = .change } == .nothingNew(.wrongNonce))
        let other = try TestAuthority.leafBuilder.issued(
            for: authority.leafKey, by: authority.intermediate, authorityKey: authority.intermediateKey)
        let foreign = try OCSPRequest(subject: other, issuer: authority.intermediate)
        var responder = responder()
        responder.nonceRule = .leaveOut
        let response = try responder.answer(request: foreign.der, at: Self.now) { _ in .good }
        #expect(request.evaluate(response: response, at: Self.now) == .nothingNew(.wrongCertificate))
        #expect(foreign.evaluate(response: response, at: Self.now) == good)
    }

    @Test func `a delegate of the issuer may sign the response`() throws {
        for kind in [PrivateKey.Kind.p256, .rsa(bits: 2048)] {
            let delegate = try authority.responder(kind: kind)
            #expect(try answer(by: delegate) == good)
        }
        let delegate = try authority.responder()
        #expect(try answer(by: delegate) { $0.isNamedByKey = true } == good)
    }

    @Test func `a certificate that is not a delegate of the issuer may not sign the response`() throws {
        let authority = authority
        let untrusted = try TestAuthority()
        let bad = OCSPAnswer.nothingNew(.badResponder)
        let withoutUsage = try authority.responder { $0.extensions.remove(at: 2) }
        #expect(try answer(by: withoutUsage) == bad)
        let expired = try authority.responder {
            $0.validity = CertificateValidity(notBefore: Self.now - 9_000, notAfter: Self.now - 3_600)
        }
        #expect(try answer(by: expired) == bad)
        let weak = try authority.responder { $0.digest = .sha1 }
        #expect(try answer(by: weak) == bad)
        let ofRoot = try authority.responder(by: authority.root, issuerKey: authority.rootKey)
        #expect(try answer(by: ofRoot) == bad)
        let lookAlike = try untrusted.responder()
        #expect(try answer(by: lookAlike) == bad)
        #expect(try answer(by: (authority.leaf, authority.leafKey)) == bad)
        #expect(try answer(by: (authority.root, authority.rootKey)) == bad)
        #expect(try answer(by: try authority.responder()) { $0.includesSigner = false } == bad)
    }

    @Test func `a weak or wrong signature is refused`() throws {
        let delegate = try authority.responder()
        #expect(try answer(by: delegate) { $0.digest = .sha1 } == .nothingNew(.badSignature))
        // Without certificates, the last byte belongs to the signature.
        var responder = responder()
        responder.includesSigner = false
        var response = try responder.answer(request: request.der, at: Self.now) { _ in .good }
        #expect(request.evaluate(response: response, at: Self.now) == good)
        response[response.count - 1] ^= 1
        #expect(request.evaluate(response: response, at: Self.now) == .nothingNew(.badSignature))
    }

    @Test func `the intermediate is checked with the root as its issuer`() throws {
        let request = try OCSPRequest(subject: authority.intermediate, issuer: authority.root)
        let responder = OCSPResponder(issuer: authority.root, signer: authority.root, key: authority.rootKey)
        let response = try responder.answer(request: request.der, at: Self.now) { serial in
            serial == authority.intermediate.serialNumber ? .good : .unknown
        }
        #expect(request.evaluate(response: response, at: Self.now) == good)
        // The leaf's responder is not authorized for the root.
        let other = try self.responder().answer(request: request.der, at: Self.now) { _ in .good }
        #expect(request.evaluate(response: other, at: Self.now) == .nothingNew(.unsuccessful))
    }

    @Test(arguments: [1, 2, 3, 5, 6] as [Int32])
    func `an unsigned error status provides no new information`(status: Int32) {
        let response = OCSPResponder.unsuccessful(status: status)
        #expect(request.evaluate(response: response, at: Self.now) == .nothingNew(.unsuccessful))
    }

    @Test func `truncated, lengthened, huge and unrelated responses are malformed`() throws {
        let response = try responder().answer(request: request.der, at: Self.now) { _ in .good }
        for count in 0..<response.count {
            let judged = request.evaluate(response: Array(response.prefix(count)), at: Self.now)
            #expect(judged == .nothingNew(.malformed))
        }
        let others = [
            response + [0], Array("<html>".utf8), OCSPResponder.unsuccessful(status: 0),
            [UInt8](repeating: 0, count: 1 << 20),
        ]
        for hostile in others {
            #expect(request.evaluate(response: hostile, at: Self.now) == .nothingNew(.malformed))
        }
    }

    @Test func `a corrupted response is never revoked, and good only if no signed byte changed`() throws {
        // The result depends on a delegate's certificate. The issuer's own certificate is ignored if it is included.
        let delegate = try authority.responder()
        let response = try responder(by: delegate).answer(request: request.der, at: Self.now) { _ in .good }
        #expect(request.evaluate(response: response, at: Self.now) == good)
        var generator = SeededGenerator(seed: 6_960)
        var unchanged = 0
        for _ in 0..<200 {
            var damaged = response
            let bit = Int.random(in: 0..<damaged.count * 8, using: &generator)
            damaged[bit / 8] ^= 1 << UInt8(bit % 8)
            switch request.evaluate(response: damaged, at: Self.now) {
            case .good: unchanged += 1
            case .revoked: Issue.record("bit \(bit) revokes")
            case .nothingNew: break
            }
        }
        // OpenSSL verifies a re-encoding, so changing the constructed bit of some tags has no effect.
        #expect(unchanged <= 3)
    }

    @Test func `extreme times do not trap`() throws {
        let response = try responder().answer(request: request.der, at: Self.now) { _ in .good }
        for now in [Int64.min, -1, 0, Int64.max] {
            #expect(request.evaluate(response: response, at: now) != good)
        }
    }

    @Test func `a responder refuses malformed requests`() {
        for hostile in [[], [0x30], Array("GET /".utf8), [UInt8](repeating: 0xFF, count: 100)] as [[UInt8]] {
            #expect(throws: CryptographyError.self) {
                try responder().answer(request: hostile, at: Self.now) { _ in .good }
            }
        }
    }

    private var good: OCSPAnswer { .good(thisUpdate: Self.now - 600, nextUpdate: Self.now + 43_200) }

    private func responder(
        by signer: (certificate: Certificate, key: PrivateKey)? = nil
    ) -> OCSPResponder {
        OCSPResponder(
            issuer: authority.intermediate, signer: signer?.certificate ?? authority.intermediate,
            key: signer?.key ?? authority.intermediateKey)
    }

    private func answer(
        _ status: OCSPResponder.Status = .good, by signer: (certificate: Certificate, key: PrivateKey)? = nil,
        adjust: (inout OCSPResponder) -> Void = { _ in }
    ) throws -> OCSPAnswer {
        var responder = responder(by: signer)
        adjust(&responder)
        let response = try responder.answer(request: request.der, at: Self.now) { _ in status }
        return request.evaluate(response: response, at: Self.now)
    }
}
