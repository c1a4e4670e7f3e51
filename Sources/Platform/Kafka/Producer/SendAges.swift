/// The start time of the oldest unreported send to each partition.
///
/// The sends to a destination form a list in order of arrival, linked by slot indices, from which any entry can be
/// removed in constant time. Times are in nanoseconds on the caller's clock.
struct SendAges {
    /// The destination of a record, as far as it is known before librdkafka chooses a partition.
    struct Destination: Hashable {
        let topic: KafkaTopic
        /// The partition; nil if the topic has no metadata yet or the partition is chosen at random.
        let partition: KafkaPartition?
    }

    private struct Link {
        var begun: UInt64 = 0
        var older = -1
        var newer = -1
        var destination = Destination(topic: KafkaTopic(rawValue: ""), partition: nil)
    }

    private struct Ends {
        var oldest: Int
        var newest: Int
    }

    private var links: [Link] = []
    private var ends: [Destination: Ends] = [:]

    /// Returns the start time of the oldest send to `destination`, or nil if there is none.
    func oldest(to destination: Destination) -> UInt64? { ends[destination].map { links[$0.oldest].begun } }

    /// Adds the send in a slot as the newest one to `destination`.
    mutating func insert(_ slot: Int, to destination: Destination, at now: UInt64) {
        while links.count <= slot { links.append(Link()) }
        let newest = ends[destination]?.newest ?? -1
        links[slot] = Link(begun: now, older: newest, newer: -1, destination: destination)
        if newest >= 0 { links[newest].newer = slot }
        ends[destination] = Ends(oldest: ends[destination]?.oldest ?? slot, newest: slot)
    }

    /// Removes the send in a slot. The send must be present.
    mutating func remove(_ slot: Int) {
        let link = links[slot]
        if link.older >= 0 { links[link.older].newer = link.newer }
        if link.newer >= 0 { links[link.newer].older = link.older }
        guard let known = ends[link.destination] else { return }
        let oldest = known.oldest == slot ? link.newer : known.oldest
        let newest = known.newest == slot ? link.older : known.newest
        ends[link.destination] = oldest >= 0 && newest >= 0 ? Ends(oldest: oldest, newest: newest) : nil
    }
}
