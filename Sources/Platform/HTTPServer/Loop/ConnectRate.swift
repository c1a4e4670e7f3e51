internal import Primitives

/// A rate limiter for connections: one token bucket per network, in a fixed-size table.
///
/// Networks with the same table index replace each other, and each new entry begins with a full bucket. An attacker
/// cannot predict the index of a network, because `Hasher` is seeded per process.
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

    /// Counts a connection. Returns false if the network exceeds its rate.
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
