/// How many connections each network makes: a token bucket for each, in a table of fixed size.
///
/// Two networks that meet in the table take turns in it and start with a full bucket; the slot of a network is not
/// predictable, because `Hasher` is seeded anew in each process.
struct ConnectRate {
    private struct Bucket {
        var network: NetworkPrefix
        var tokens: Double
        var at: UInt64
    }

    private let perSecond: Double
    private let unlimited: [NetworkPrefix]
    private var buckets: [Bucket?]

    init(limits: Limits) {
        perSecond = Double(max(0, limits.connectsPerSecond))
        unlimited = limits.unlimitedNetworks
        buckets = limits.connectsPerSecond > 0 ? Array(repeating: nil, count: 4096) : []
    }

    /// Counts a connection. False: it is one too many.
    mutating func admits(_ network: NetworkPrefix, address: @autoclosure () -> NetworkPrefix, now: UInt64) -> Bool {
        guard !buckets.isEmpty else { return true }
        if !unlimited.isEmpty {
            let address = address()
            if unlimited.contains(where: { $0.contains(address) }) { return true }
        }
        let index = Int(UInt(bitPattern: network.hashValue) % UInt(buckets.count))
        var bucket = Bucket(network: network, tokens: perSecond * 2, at: now)
        if let known = buckets[index], known.network == network {
            let seconds = Double(now >= known.at ? now - known.at : 0) / 1_000_000_000
            bucket.tokens = min(perSecond * 2, known.tokens + seconds * perSecond)
        }
        let admits = bucket.tokens >= 1
        if admits { bucket.tokens -= 1 }
        buckets[index] = bucket
        return admits
    }
}
