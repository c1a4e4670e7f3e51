internal import Cryptography
internal import Synchronization

/// A strictly decoded payload with a valid signature and a certificate chain that leads to a pinned root. Validity and
/// revocation have not been checked yet.
struct SignedObject {
    let payload: [UInt8]
    let header: KnownHeader
    /// The SHA-256 digest of the signed bytes (`header.payload` as received).
    let digest: SHA256Digest
    let signature: [UInt8]
    /// The precomputed table for the key, if any.
    let table: FixedKeys.Table?
}

/// A parsed JWS with a validated certificate chain in its header. **The payload is not trusted yet**: the signature has
/// not been verified.
final class OpenedObject {
    let payload: [UInt8]
    let header: KnownHeader
    /// Whether no signature has been verified with this header before.
    let isNewHeader: Bool
    let digest: SHA256Digest
    let signature: [UInt8]
    /// The precomputed table for the key, if any.
    let table: FixedKeys.Table?
    /// The table's result for the signature, or nil if the table was not used.
    var isGoodByTable: Bool?

    init(
        payload: [UInt8], header: KnownHeader, isNewHeader: Bool, digest: SHA256Digest, signature: [UInt8],
        table: FixedKeys.Table?
    ) {
        self.payload = payload
        self.header = header
        self.isNewHeader = isNewHeader
        self.digest = digest
        self.signature = signature
        self.table = table
    }
}

/// Runs checks 4 to 10 on one compact JWS, outer or nested.
final class SignedObjectVerifier: Sendable {
    private let trust: TrustStore
    private let limiter: NewCertificateChainLimiter
    private let validated = Atomic<Int>(0)
    let cache = ChainCache()
    let fixedKeys: FixedKeys?

    init(trust: TrustStore, newCertificateChains: NewCertificateChainLimits, fixedKeys: FixedKeys? = nil) {
        self.trust = trust
        limiter = NewCertificateChainLimiter(newCertificateChains)
        self.fixedKeys = fixedKeys
    }

    /// The number of certificate path validations so far; each takes about a millisecond.
    var validations: Int { validated.load(ordering: .relaxed) }

    /// Verifies a single object with ``open(_:at:isNested:)`` and ``verify(_:)``.
    /// - Parameter now: the current time, in milliseconds since 1970.
    func verify(_ jws: ArraySlice<UInt8>, at now: Int64) throws(Refusal) -> SignedObject {
        try verify(try open(jws, at: now))
    }

    /// Runs checks 4 to 9 and checks the length of the signature.
    /// - Parameters:
    ///   - now: the current time, in milliseconds since 1970.
    ///   - isNested: whether the text is inside a payload that Apple signed. In that case, new certificate chains are
    ///     not rate-limited.
    func open(_ jws: ArraySlice<UInt8>, at now: Int64, isNested: Bool = false) throws(Refusal) -> OpenedObject {
        let known = cache.header(of: jws)
        if let known, ChainCache.isFresh(known.path, at: now) { return try open(jws, under: known, at: now) }
        let segments = try FormChecks.segments(of: jws)
        let headerBytes = try FormChecks.decode(segments.header, of: jws)
        let payload = try FormChecks.decode(segments.payload, of: jws)
        let signature = try FormChecks.decode(segments.signature, of: jws)
        let header = try JWSHeader(headerBytes)
        try FormChecks.checkAlgorithm(of: header)
        try SignatureChecks.checkLength(signature)
        let encodings = try CertificateChecks.encodings(header)
        let path = try path(encodings, at: now, isLimited: known == nil && !isNested)
        let text = Array(jws[segments.header])
        let midstate = SHA256Midstate(prefix: text + [UInt8(ascii: ".")])
        let fresh = KnownHeader(
            text: text, midstate: midstate, hasCriticalMembers: header.hasCriticalMembers, path: path)
        // If a signature was verified with this header earlier, its path has expired. The header is then cached again
        // before this signature is verified; otherwise, each invalid signature under it would cost another path
        // validation.
        if known != nil { cache.insert(fresh) }
        return OpenedObject(
            payload: payload, header: fresh, isNewHeader: known == nil,
            digest: jws[segments.payload].withUnsafeBytes { midstate.digest(suffix: $0) }, signature: signature,
            table: fixedKeys?.table(of: path, at: now))
    }

    /// Parses a JWS with a known header. This is the hot path; only two segments remain to be parsed.
    private func open(
        _ jws: ArraySlice<UInt8>, under known: KnownHeader, at now: Int64
    ) throws(Refusal) -> OpenedObject {
        let start = jws.startIndex + known.text.count + 1
        // A 64-byte signature has 86 characters, so its dot is found without a search. The decoder rejects a dot in any
        // other position.
        let signatureStart = jws.endIndex - 86
        let segments: (payload: Range<Int>, signature: Range<Int>)
        if signatureStart - 1 > start, jws[signatureStart - 1] == UInt8(ascii: ".") {
            segments = (start..<signatureStart - 1, signatureStart..<jws.endIndex)
        } else {
            let found = try FormChecks.segments(of: jws)
            segments = (found.payload, found.signature)
        }
        let payload = try FormChecks.decode(segments.payload, of: jws)
        let signature = try FormChecks.decode(segments.signature, of: jws)
        try SignatureChecks.checkLength(signature)
        let digest = jws[segments.payload].withUnsafeBytes { known.midstate.digest(suffix: $0) }
        return OpenedObject(
            payload: payload, header: known, isNewHeader: false, digest: digest, signature: signature,
            table: fixedKeys?.table(of: known.path, at: now))
    }

    /// Check 10: uses the table's result if it is final, and OpenSSL otherwise. Then caches the header if it is new.
    func verify(_ object: OpenedObject) throws(Refusal) -> SignedObject {
        let path = object.header.path
        if fixedKeys?.isDecided(object) != true {
            do throws(Refusal) {
                try SignatureChecks.check(
                    object.signature, of: object.digest, by: path.key, certificates: path.serials)
                fixedKeys?.compare(object, isGood: true)
            } catch {
                if error.reason == .signature { fixedKeys?.compare(object, isGood: false) }
                throw error
            }
        }
        if object.isNewHeader { cache.insert(object.header) }
        return SignedObject(
            payload: object.payload, header: object.header, digest: object.digest, signature: object.signature,
            table: object.table)
    }

    /// Caches the header segment of a JWS that another process has verified, so that Apple's first notifications after
    /// startup do not compete with arbitrary new certificate chains. The certificates are checked as usual, and every
    /// signature is still verified.
    ///
    /// - Throws: a refusal from one of checks 4 to 9 or 11.
    func remember(header segment: [UInt8], at now: Int64) throws(Refusal) {
        let header = try JWSHeader(try FormChecks.decode(segment.indices, of: segment[...]))
        try FormChecks.checkAlgorithm(of: header)
        let path = try path(try CertificateChecks.encodings(header), at: now, isLimited: false)
        try SignatureChecks.checkValidity(of: path, at: now)
        let midstate = SHA256Midstate(prefix: segment + [UInt8(ascii: ".")])
        cache.insert(
            KnownHeader(
                text: segment, midstate: midstate, hasCriticalMembers: header.hasCriticalMembers, path: path))
    }

    private func path(
        _ encodings: [[UInt8]?], at now: Int64, isLimited: Bool
    ) throws(Refusal) -> ValidatedPath {
        let digest = Self.digest(of: encodings)
        if let path = cache.path(digest, at: now) { return path }
        if isLimited {
            guard limiter.enter(digest, at: now) else {
                throw Refusal(.newCertificateChains, "too many new certificate chains")
            }
        }
        defer { if isLimited { limiter.leave(digest) } }
        validated.add(1, ordering: .relaxed)
        let path = try ValidatedPath(try CertificateChecks.certificates(encodings), in: trust, at: now)
        cache.insert(path, digest)
        return path
    }

    /// Hashes each entry preceded by its length, so different lists never produce the same input. A third or fourth
    /// entry that is not base64 is hashed without its content.
    private static func digest(of encodings: [[UInt8]?]) -> SHA256Digest {
        var hash = SHA256()
        for encoding in encodings {
            withUnsafeBytes(of: Int64(encoding?.count ?? -1).littleEndian) { hash.update($0) }
            if let encoding { hash.update(encoding) }
        }
        return hash.finish()
    }
}
