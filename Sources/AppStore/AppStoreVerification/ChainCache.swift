internal import Cryptography
internal import Glibc
internal import Synchronization

/// A header segment under which a signature has verified. An equal header means equal `alg` and `x5c`, so neither
/// base64, JSON nor certificates are touched again while the path is fresh.
final class KnownHeader: Sendable {
    /// The header segment, without the dot.
    let text: [UInt8]
    /// SHA-256 after the segment and its dot.
    let midstate: SHA256Midstate
    let hasCriticalMembers: Bool
    let path: ValidatedPath
    /// What is known of the leaf's and the intermediate's revocation; nil until they are asked about, empty when
    /// revocation is off.
    private let knownStandings = Mutex<[RevocationStanding]?>(nil)
    // For choosing what to drop: the cache's count at the last use.
    let lastUse = Atomic<UInt64>(0)

    init(text: [UInt8], midstate: SHA256Midstate, hasCriticalMembers: Bool, path: ValidatedPath) {
        self.text = text
        self.midstate = midstate
        self.hasCriticalMembers = hasCriticalMembers
        self.path = path
    }

    var standings: [RevocationStanding]? { knownStandings.withLock { $0 } }

    /// The standings; those that `make` gives when there are none yet.
    func standings(_ make: () -> [RevocationStanding]) -> [RevocationStanding] {
        knownStandings.withLock { known in
            if let known { return known }
            let standings = make()
            known = standings
            return standings
        }
    }
}

/// What has been validated, in two levels: header segments exactly as received, and certificate paths by the digest of
/// their encodings. Refusals are never kept.
///
/// The first level is compared byte by byte and filled only under a verified signature: the certificate chain is
/// public, and anyone can write endless spellings of a header, but none that Apple's key has signed. An entry that is no longer fresh stays
/// until it is replaced, because it distinguishes a known header from a new one.
final class ChainCache: Sendable {
    static let capacity = 32
    /// A path counts for this long, in milliseconds; at exactly this age it has expired.
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

    /// Whether a path validated at `start` still counts. A clock that was set back makes it doubtful: it does not.
    static func isFresh(_ path: ValidatedPath, at now: Int64) -> Bool {
        let (age, overflow) = now.subtractingReportingOverflow(path.validatedAt)
        return !overflow && age >= 0 && age < lifetime
    }

    /// The known header with which `jws` begins, fresh or not.
    func header(of jws: ArraySlice<UInt8>) -> KnownHeader? {
        // The array is taken under the lock and searched without it.
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

    /// Adds a header under which a signature has verified; replaces one of the same text.
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

    /// The validated path with that digest, if it is fresh.
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

    /// Adds a path that passed every check of its own; no signature needs to have verified under it yet.
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

    /// Forgets a path and every header that uses its leaf or intermediate.
    func drop(_ path: ValidatedPath) {
        state.withLock { state in
            state.headers.removeAll { $0.path.leaf == path.leaf || $0.path.intermediate == path.intermediate }
            state.paths.removeAll { $0.path.leaf == path.leaf || $0.path.intermediate == path.intermediate }
        }
    }

    /// Entries of the two levels.
    var counts: (headers: Int, paths: Int) { state.withLock { ($0.headers.count, $0.paths.count) } }

    private func lastUse(_ header: KnownHeader) -> UInt64 { header.lastUse.load(ordering: .relaxed) }

    private func nextUse() -> UInt64 { uses.wrappingAdd(1, ordering: .relaxed).newValue }
}

extension ArraySlice<UInt8> {
    /// Whether these bytes begin with the others: by memcmp(3), because they are thousands.
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
