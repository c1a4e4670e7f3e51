internal import Concurrency

/// How many connections each network makes: a token bucket for each, in a table of fixed size.
///
/// Two networks that meet in the table take turns in it and start with a full bucket; the slot of a network is not
/// predictable, because `Hasher` has a new seed in each process.
struct ConnectRate {
    private struct Entry {
        let network: NetworkPrefix
        var bucket: TokenBucket
    }

    private let perSecond: Double
    private var entries: [Entry?]

    init(limits: Limits) {
        perSecond = Double(max(0, limits.connectsPerSecond))
        entries = limits.connectsPerSecond > 0 ? Array(repeating: nil, count: 4096) : []
    }

    /// Counts a connection. False: it is one too many.
    mutating func admits(_ network: NetworkPrefix, now: UInt64) -> Bool {
        guard !entries.isEmpty else { return true }
        let index = Int(UInt(bitPattern: network.hashValue) % UInt(entries.count))
        var entry =
            entries[index].take().flatMap { $0.network == network ? $0 : nil }
            ?? Entry(
                network: network,
                bucket: TokenBucket(capacity: perSecond * 2, perSecond: perSecond, now: now))
        defer { entries[index] = entry }
        return entry.bucket.take(now: now)
    }
}
