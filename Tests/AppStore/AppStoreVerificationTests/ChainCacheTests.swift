import AppStoreSigning
import AppStoreTestSupport
import Cryptography
import Primitives
import Testing

@testable import AppStoreVerification

/// Caches shared between bodies, and data that must not be cached.
@Suite struct ChainCacheTests {
    private let now = SigningKit.now

    @Test func `a known chain is validated once in fifteen minutes`() throws {
        let kit = try SigningKit.shared()
        let verifier = try kit.verifier()
        for (seconds, validations) in [(0, 1), (1, 1), (899, 1), (900, 2), (901, 2), (1799, 2), (1800, 3)]
            as [(Int64, Int)]
        {
            let verdict = verifier.verify(body: try kit.body(), at: now + seconds * 1000)
            #expect(ExpectedVerdict(verdict) == .accepted)
            #expect(verifier.chainValidations == validations, "after \(seconds) s")
        }
        verifier.verify(body: try kit.body(), at: now + 899_999 + 1_800_000).expect(.accepted)
        #expect(verifier.chainValidations == 3)
        verifier.verify(body: try kit.body(), at: now + 900_000 + 1_800_000).expect(.accepted)
        #expect(verifier.chainValidations == 4)
    }

    @Test func `setting the clock back invalidates the cached chains`() throws {
        let kit = try SigningKit.shared()
        let verifier = try kit.verifier()
        verifier.verify(body: try kit.body(), at: now).expect(.accepted)
        verifier.verify(body: try kit.body(), at: now - 1).expect(.accepted)
        #expect(verifier.chainValidations == 2)
    }

    @Test func `a header is cached only after a signature has verified under it`() throws {
        let kit = try SigningKit.shared()
        let verifier = try kit.verifier()
        let forged = SigningKit.body(try kit.jws(chain: kit.pki.chain, key: .generate(.p256)))
        for _ in 0..<3 { verifier.verify(body: forged, at: now).expect(.forbidden(.signature)) }
        #expect(verifier.objects.cache.counts == (headers: 0, paths: 1))
        verifier.verify(body: try kit.body(), at: now).expect(.accepted)
        #expect(verifier.objects.cache.counts == (headers: 1, paths: 1))
        verifier.verify(body: forged, at: now).expect(.forbidden(.signature))
        #expect(verifier.chainValidations == 1)
    }

    @Test func `refusals are not cached`() throws {
        let kit = try SigningKit.shared()
        let verifier = try kit.verifier()
        let body = SigningKit.body(try kit.jws(leaf: kit.leaf { $0.drop(TestCertificateAuthority.leafMarker) }))
        for _ in 0..<3 { verifier.verify(body: body, at: now).expect(.forbidden(.leafMarker)) }
        #expect(verifier.chainValidations == 3)
        #expect(verifier.objects.cache.counts == (headers: 0, paths: 0))
    }

    @Test func `both cache levels are limited and keep the most recently used entries`() throws {
        let kit = try SigningKit.shared()
        let verifier = try kit.verifier { $0.newCertificateChains = NewCertificateChainLimits(perSecond: 1000) }
        let kept = try kit.body()
        verifier.verify(body: kept, at: now).expect(.accepted)
        for index in 0..<40 {
            let header = JWSSigner.header(chain: kit.pki.chain, extra: ",\"kid\":\"\(index)\"")
            verifier.verify(body: try kit.body(header: header), at: now).expect(.accepted)
            verifier.verify(body: kept, at: now).expect(.accepted)
        }
        #expect(verifier.objects.cache.counts == (headers: 32, paths: 1))
        #expect(verifier.objects.cache.header(of: Array(try kit.jws().utf8)[...]) != nil)
        let dropped = JWSSigner.header(chain: kit.pki.chain, extra: ",\"kid\":\"0\"")
        let droppedJWS = try kit.sign("{}", header: dropped, key: nil)
        #expect(verifier.objects.cache.header(of: Array(droppedJWS.utf8)[...]) == nil)

        for index in 0..<40 { _ = verifier.verify(body: try Self.newChain(index, kit), at: now) }
        #expect(verifier.objects.cache.counts.paths == 32)
    }

    @Test func `a header that only shares a prefix with a known one is unknown`() throws {
        let kit = try SigningKit.shared()
        let verifier = try kit.verifier()
        let jws = try kit.jws()
        verifier.verify(body: SigningKit.body(jws), at: now).expect(.accepted)
        let dot = try #require(jws.firstIndex(of: "."))
        // The cut is after a complete group of four, so no unused bits are set and the header merely ends too early.
        let shorter = jws[..<dot].dropLast(4 + jws[..<dot].count % 4) + jws[dot...]
        verifier.verify(body: SigningKit.body(String(shorter)), at: now).expect(.badRequest(.jwsHeader))
        let longer = jws[..<dot] + "AAAA" + jws[dot...]
        verifier.verify(body: SigningKit.body(String(longer)), at: now).expect(.badRequest(.jwsHeader))
    }

    // MARK: The limiter of new certificate chains

    @Test func `fifty new certificate chains per second are validated, and known ones are not affected`() throws {
        let kit = try SigningKit.shared()
        let verifier = try kit.verifier()
        let good = try kit.body()
        verifier.verify(body: good, at: now).expect(.accepted)
        // The first chain used one of the fifty permits.
        for index in 0..<49 {
            verifier.verify(body: try Self.newChain(index, kit), at: now).expect(.forbidden(.signature))
        }
        for index in 49..<60 {
            verifier.verify(body: try Self.newChain(index, kit), at: now).expect(.retryLater(.newCertificateChains))
            verifier.verify(body: good, at: now).expect(.accepted)
        }
        #expect(verifier.chainValidations == 50)
        verifier.verify(body: try Self.newChain(60, kit), at: now + 20).expect(.forbidden(.signature))
        verifier.verify(body: try Self.newChain(61, kit), at: now + 20).expect(.retryLater(.newCertificateChains))
    }

    @Test func `a header preloaded from another process is not rate-limited`() throws {
        let kit = try SigningKit.shared()
        let verifier = try kit.verifier {
            $0.newCertificateChains = NewCertificateChainLimits(perSecond: 1, concurrency: 1)
        }
        let segment = Array(try kit.jws().utf8.prefix { $0 != UInt8(ascii: ".") })
        #expect(verifier.remember(header: segment, at: now))
        _ = verifier.verify(body: try Self.newChain(0, kit), at: now)
        verifier.verify(body: try Self.newChain(1, kit), at: now).expect(.retryLater(.newCertificateChains))
        verifier.verify(body: try kit.body(), at: now).expect(.accepted)
        // The cache contains the header, not the signature.
        let forged = SigningKit.body(try kit.jws(chain: kit.pki.chain, key: .generate(.p256)))
        verifier.verify(body: forged, at: now).expect(.forbidden(.signature))
    }

    @Test func `an invalid, untrusted or expired header is not preloaded`() throws {
        let kit = try SigningKit.shared()
        let verifier = try kit.verifier()
        let segment = Array(try kit.jws().utf8.prefix { $0 != UInt8(ascii: ".") })
        let imposter = Array(try SigningKit.imposter().jws().utf8.prefix { $0 != UInt8(ascii: ".") })
        #expect(!verifier.remember(header: imposter, at: now))
        #expect(!verifier.remember(header: [], at: now))
        #expect(!verifier.remember(header: Array("e30".utf8), at: now))
        #expect(!verifier.remember(header: segment, at: now + 20 * 365 * 86_400_000))
        #expect(verifier.objects.cache.counts.headers == 0)
    }

    @Test func `workers with diverging clock readings do not exceed the rate`() throws {
        try initializeCryptography()
        let limiter = NewCertificateChainLimiter(NewCertificateChainLimits(perSecond: 50, concurrency: 1000))
        let path = SHA256.digest(of: Array("path".utf8))
        var admitted = 0
        // Within each second, every other request has an earlier clock reading.
        for millisecond in 0..<1000 as Range<Int64> {
            for reading in [now + millisecond, now + millisecond - 20] where limiter.enter(path, at: reading) {
                admitted += 1
                limiter.leave(path)
            }
        }
        #expect((99...101).contains(admitted))
    }

    @Test func `a known header with an expired path is not rate-limited`() throws {
        let kit = try SigningKit.shared()
        let verifier = try kit.verifier { $0.newCertificateChains = NewCertificateChainLimits(perSecond: 1) }
        let good = try kit.body()
        verifier.verify(body: good, at: now).expect(.accepted)
        let later = now + ChainCache.lifetime
        verifier.verify(body: try Self.newChain(1, kit), at: later).expect(.forbidden(.signature))
        verifier.verify(body: try Self.newChain(2, kit), at: later).expect(.retryLater(.newCertificateChains))
        verifier.verify(body: good, at: later).expect(.accepted)
    }

    @Test func `a malformed body never reaches the limiter`() throws {
        let kit = try SigningKit.shared()
        let verifier = try kit.verifier { $0.newCertificateChains = NewCertificateChainLimits(perSecond: 1) }
        for _ in 0..<10 {
            verifier.verify(body: try kit.body(header: "{\"alg\":\"ES256\",\"x5c\":[]}"), at: now)
                .expect(.badRequest(.certificateListForm))
        }
        verifier.verify(body: try kit.body(), at: now).expect(.accepted)
    }

    @Test func `the limiter admits a path once, regardless of the number of requests with it`() throws {
        try initializeCryptography()
        let limiter = NewCertificateChainLimiter(NewCertificateChainLimits(perSecond: 50, concurrency: 1))
        let one = SHA256.digest(of: [1])
        let other = SHA256.digest(of: [2])
        #expect(limiter.enter(one, at: now))
        #expect(limiter.enter(one, at: now))
        #expect(!limiter.enter(other, at: now))
        limiter.leave(one)
        #expect(!limiter.enter(other, at: now))
        limiter.leave(one)
        #expect(limiter.enter(other, at: now))
    }

    @Test func `the rate is maintained when the clock jumps`() throws {
        try initializeCryptography()
        let limiter = NewCertificateChainLimiter(NewCertificateChainLimits(perSecond: 2, concurrency: 10))
        let path = SHA256.digest(of: [1])
        var entered: [Bool] = []
        for time in [0, 0, 0, 499, 500, -10_000, -9_501, -9_500, Int64.max, Int64.max, Int64.max, Int64.min] {
            entered.append(limiter.enter(path, at: time))
        }
        #expect(
            entered == [true, true, false, false, true, false, false, true, true, true, false, false])
    }

    /// Returns the trusted leaf and intermediate with a different third entry. Each call creates a new path with an
    /// invalid signature.
    private static func newChain(_ index: Int, _ kit: SigningKit) throws -> [UInt8] {
        let texts = [kit.pki.leaf.der, kit.pki.intermediate.der, [UInt8(truncatingIfNeeded: index), 1, 2]]
            .map { String(decoding: Base64.encode($0), as: UTF8.self) }
        return try kit.body(header: JWSSigner.header(x5c: texts), key: .generate(.p256))
    }
}

extension Verdict {
    func expect(_ expected: ExpectedVerdict, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(ExpectedVerdict(self) == expected, sourceLocation: sourceLocation)
    }
}
