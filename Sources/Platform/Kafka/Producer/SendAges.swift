/// Since when the oldest send to each partition has been waiting for its report.
///
/// A list for each partition in the order of arrival, linked through the indices of slots: what ends in the middle
/// leaves at once, so it is as long as there are sends. Times are nanoseconds of the caller's clock.
struct SendAges {
    /// Where a record goes, as far as it can be said before librdkafka decides.
    struct Destination: Hashable {
        let topic: KafkaTopic
        /// `nil`: not known before the topic's metadata, or chosen at random.
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

    /// When the oldest send to `destination` began; `nil` when none waits.
    func oldest(to destination: Destination) -> UInt64? { ends[destination].map { links[$0.oldest].begun } }

    /// Adds the send in a slot; it is the newest to its destination.
    mutating func insert(_ slot: Int, to destination: Destination, at now: UInt64) {
        while links.count <= slot { links.append(Link()) }
        let newest = ends[destination]?.newest ?? -1
        links[slot] = Link(begun: now, older: newest, newer: -1, destination: destination)
        if newest >= 0 { links[newest].newer = slot }
        ends[destination] = Ends(oldest: ends[destination]?.oldest ?? slot, newest: slot)
    }

    /// Takes out the send in a slot, which must be there.
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
