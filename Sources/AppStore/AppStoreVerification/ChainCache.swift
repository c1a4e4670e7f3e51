internal import Cryptography
internal import Glibc
internal import Synchronization

/// The header segment of a JWS with a verified signature. An identical segment has the same `alg` and `x5c`, so base64,
/// JSON and X.509 processing can be skipped while the path is fresh.
final class KnownHeader: Sendable {
    /// The header segment, without the dot.
    let text: [UInt8]
    /// The SHA-256 state after the segment and its dot.
    let midstate: SHA256Midstate
    let hasCriticalMembers: Bool
    let path: ValidatedPath
    /// The revocation status of the leaf and the intermediate: nil until first requested, and empty if revocation
    /// checks are off.
    private let knownStandings = Mutex<[RevocationStanding]?>(nil)
    // The cache's use counter at the last use of this header, for eviction.
    let lastUse = Atomic<UInt64>(0)

    init(text: [UInt8], midstate: SHA256Midstate, hasCriticalMembers: Bool, path: ValidatedPath) {
        self.text = text
        self.midstate = midstate
        self.hasCriticalMembers = hasCriticalMembers
        self.path = path
    }

    var standings: [RevocationStanding]? { knownStandings.withLock { $0 } }

    /// Returns the statuses, creating them with `make` the first time.
    func standings(_ make: () -> [RevocationStanding]) -> [RevocationStanding] {
        knownStandings.withLock { known in
            if let known { return known }
            let standings = make()
            known = standings
            return standings
        }
    }
}

/// Caches validated data on two levels: header segments exactly as received, and certificate paths by the digest of
/// their encodings. Rejections are never cached.
///
/// The first level is compared byte by byte and filled only after a signature has been verified. The certificate chain
/// is public, so an attacker can create any number of variants of a header, but none that Apple's key has signed. A
/// stale entry remains until it is replaced, so that known headers can be distinguished from new ones.
final class ChainCache: Sendable {
    static let capacity = 32
    /// The lifetime of a path in milliseconds. A path of exactly this age has expired.
    static let lifetime: Int64 = 900_000

    private struct Path {
        let digest: SHA256Digest
        let path: ValidatedPath
        var lastUse: UInt64
    }

    private struct State {
        var headers: [KnownHeader] = []
        var paths: [Path] = []
    }

    private let state = Mutex(State())
    private let uses = Atomic<UInt64>(0)

    /// Returns whether a path is still fresh at `now`. A path validated later than `now` is not fresh, because the
    /// clock must have been set back.
    static func isFresh(_ path: ValidatedPath, at now: Int64) -> Bool {
        let (age, overflow) = now.subtractingReportingOverflow(path.validatedAt)
        return !overflow && age >= 0 && age < lifetime
    }

    /// Returns the known header that `jws` begins with, even if it is stale.
    func header(of jws: ArraySlice<UInt8>) -> KnownHeader? {
        // Copy the array under the lock and search the copy outside.
        let headers = state.withLock { $0.headers }
        for header in headers {
            let count = header.text.count
            guard jws.count > count, jws[jws.startIndex + count] == UInt8(ascii: "."),
                jws.hasPrefix(header.text)
            else {
                continue
            }
            header.lastUse.store(nextUse(), ordering: .relaxed)
            return header
        }
        return nil
    }

    /// Adds the header of a JWS with a verified signature, replacing any header with the same text.
    func insert(_ header: KnownHeader) {
        header.lastUse.store(nextUse(), ordering: .relaxed)
        state.withLock { state in
            state.headers.removeAll { $0.text == header.text }
            if state.headers.count >= Self.capacity,
                let oldest = state.headers.indices.min(by: { lastUse(state.headers[$0]) < lastUse(state.headers[$1]) })
            {
                state.headers.remove(at: oldest)
            }
            state.headers.append(header)
        }
    }

    /// Returns the validated path with this digest if it is fresh.
    func path(_ digest: SHA256Digest, at now: Int64) -> ValidatedPath? {
        let use = nextUse()
        return state.withLock { state in
            guard let index = state.paths.firstIndex(where: { $0.digest == digest }) else { return nil }
            guard Self.isFresh(state.paths[index].path, at: now) else {
                state.paths.remove(at: index)
                return nil
            }
            state.paths[index].lastUse = use
            return state.paths[index].path
        }
    }

    /// Adds a path that passed all of its checks, even if no signature has been verified with it yet.
    func insert(_ path: ValidatedPath, _ digest: SHA256Digest) {
        let use = nextUse()
        state.withLock { state in
            state.paths.removeAll { $0.digest == digest }
            if state.paths.count >= Self.capacity,
                let oldest = state.paths.indices.min(by: { state.paths[$0].lastUse < state.paths[$1].lastUse })
            {
                state.paths.remove(at: oldest)
            }
            state.paths.append(Path(digest: digest, path: path, lastUse: use))
        }
    }

    /// Removes every header and every path whose leaf or intermediate is revoked.
    ///
    /// Other leaves of the intermediate remain cached. Otherwise, each replay of a notification from before a leaf was
    /// revoked would turn the headers that Apple uses now into new ones, which the limit for new chains can reject.
    func drop(_ revoked: [Certificate]) {
        state.withLock { state in
            state.headers.removeAll { revoked.contains($0.path.leaf) || revoked.contains($0.path.intermediate) }
            state.paths.removeAll { revoked.contains($0.path.leaf) || revoked.contains($0.path.intermediate) }
        }
    }

    /// The number of entries in each level.
    var counts: (headers: Int, paths: Int) { state.withLock { ($0.headers.count, $0.paths.count) } }

    private func lastUse(_ header: KnownHeader) -> UInt64 { header.lastUse.load(ordering: .relaxed) }

    private func nextUse() -> UInt64 { uses.wrappingAdd(1, ordering: .relaxed).newValue }
}

extension ArraySlice<UInt8> {
    /// Returns whether these bytes begin with `prefix`. Uses memcmp(3), because headers are thousands of bytes long.
    fileprivate func hasPrefix(_ prefix: [UInt8]) -> Bool {
        guard count >= prefix.count else { return false }
        return withUnsafeBytes { text in
            prefix.withUnsafeBytes { prefix in
                guard let text = text.baseAddress, let start = prefix.baseAddress else { return prefix.isEmpty }
                return memcmp(text, start, prefix.count) == 0
            }
        }
    }
}
