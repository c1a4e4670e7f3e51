internal import Cryptography
internal import Synchronization

/// A payload that a chain under a pinned root has signed, exactly as decoded. Time and revocation are not judged yet.
struct SignedObject {
    let payload: [UInt8]
    let header: KnownHeader
    /// Of `header.payload` as received: what was signed.
    let digest: SHA256Digest
}

/// Checks 4 to 9 and 11 for one compact JWS, the outer one and the nested ones alike.
final class SignedObjectVerifier: Sendable {
    private let trust: TrustStore
    private let revocation: RevocationChecker
    private let lane: NewCertificateChainLimiter
    private let validated = Atomic<Int>(0)
    let cache = ChainCache()

    init(trust: TrustStore, revocation: RevocationChecker, newCertificateChains: NewCertificateChainLimits) {
        self.trust = trust
        self.revocation = revocation
        lane = NewCertificateChainLimiter(newCertificateChains)
    }

    /// How many certificate paths have been examined: each costs about a millisecond.
    var validations: Int { validated.load(ordering: .relaxed) }

    /// - Parameters:
    ///   - now: milliseconds since 1970.
    ///   - isNested: the text stands inside a payload that Apple signed; its chain, if new, does not need the lane.
    func verify(_ jws: [UInt8], at now: Int64, isNested: Bool = false) throws(Rejection) -> SignedObject {
        let known = cache.header(of: jws)
        if let known, ChainCache.isFresh(known.path, at: now) {
            return try verify(jws, under: known)
        }
        let segments = try CompactFormCheck.segments(of: jws)
        let headerBytes = try CompactFormCheck.decode(segments.header, of: jws)
        let payload = try CompactFormCheck.decode(segments.payload, of: jws)
        let signature = try CompactFormCheck.decode(segments.signature, of: jws)
        let header = try JWSHeader(headerBytes)
        try AlgorithmCheck.check(header)
        try SignatureCheck.checkLength(signature)
        let encodings = try CertificateListCheck.encodings(header)
        let path = try path(encodings, at: now, isLimited: known == nil && !isNested)
        let text = Array(jws[segments.header])
        let midstate = SHA256Midstate(prefix: text + [UInt8(ascii: ".")])
        // Only now may somebody be asked about the path: a signature stands under it.
        func knownHeader() -> KnownHeader {
            KnownHeader(
                text: text, midstate: midstate, hasCriticalMembers: header.hasCriticalMembers, path: path,
                standings: revocation.standings(of: path, at: now))
        }
        // A signature has verified under a known header before; renewing it at once keeps bad signatures under it cheap.
        if known != nil { cache.insert(knownHeader()) }
        let digest = try check(signature, over: segments.payload, of: jws, midstate, path)
        let fresh = knownHeader()
        if known == nil { cache.insert(fresh) }
        return SignedObject(payload: payload, header: fresh, digest: digest)
    }

    /// The hot path: the header is known, so two segments remain.
    private func verify(_ jws: [UInt8], under known: KnownHeader) throws(Rejection) -> SignedObject {
        let start = known.text.count + 1
        // A signature of 64 bytes is 86 characters; with a dot before them there is no need to look for one. Any other dot
        // is a letter that the decoder refuses.
        let signatureStart = jws.count - 86
        let segments: (payload: Range<Int>, signature: Range<Int>)
        if signatureStart - 1 > start, jws[signatureStart - 1] == UInt8(ascii: ".") {
            segments = (start..<signatureStart - 1, signatureStart..<jws.count)
        } else {
            let found = try CompactFormCheck.segments(of: jws)
            segments = (found.payload, found.signature)
        }
        let payload = try CompactFormCheck.decode(segments.payload, of: jws)
        let signature = try CompactFormCheck.decode(segments.signature, of: jws)
        try SignatureCheck.checkLength(signature)
        let digest = try check(signature, over: segments.payload, of: jws, known.midstate, known.path)
        return SignedObject(payload: payload, header: known, digest: digest)
    }

    /// The digest of what the signature stands over.
    private func check(
        _ signature: [UInt8], over payload: Range<Int>, of jws: [UInt8], _ midstate: SHA256Midstate,
        _ path: ValidatedPath
    ) throws(Rejection) -> SHA256Digest {
        let digest = jws.withUnsafeBytes { midstate.digest(suffix: UnsafeRawBufferPointer(rebasing: $0[payload])) }
        try SignatureCheck.check(signature, of: digest, by: path.key, certificates: path.serials)
        return digest
    }

    private func path(
        _ encodings: [[UInt8]?], at now: Int64, isLimited: Bool
    ) throws(Rejection) -> ValidatedPath {
        let digest = Self.digest(of: encodings)
        if let path = cache.path(digest, at: now) { return path }
        if isLimited {
            guard lane.enter(digest, at: now) else { throw .tooManyNewCertificateChains }
        }
        defer { if isLimited { lane.leave(digest) } }
        validated.add(1, ordering: .relaxed)
        let path = try ValidatedPath(try CertificateListCheck.certificates(encodings), in: trust, at: now)
        cache.insert(path, digest)
        return path
    }

    /// Each entry with its length before it, so that no two lists have the same text. What a third or fourth entry
    /// that is not base64 says does not matter.
    private static func digest(of encodings: [[UInt8]?]) -> SHA256Digest {
        var hash = SHA256()
        for encoding in encodings {
            withUnsafeBytes(of: Int64(encoding?.count ?? -1).littleEndian) { hash.update($0) }
            if let encoding { hash.update(encoding) }
        }
        return hash.finish()
    }
}
