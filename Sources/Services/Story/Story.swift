package import AppStoreModel
package import EntitlementRules
internal import KafkaModel

/// Everything known about one identifier.
package struct Story: Sendable {
    /// A purchase in the story, with its current state.
    package struct Purchase: Sendable {
        package let key: String
        package let bundleId: BundleId
        package let originalTransactionId: OriginalTransactionId
        package let standings: [Standing]
        /// The time when the state will next change without new facts, or nil if it never will.
        package let nextChange: AppStoreInstant?
        package let changes: [StoryChange]
        /// All facts, or nil if the searched records contain none.
        package let facts: PurchaseFacts?
        /// All transactions in the searched records, including those that ``facts`` no longer contains because of an
        /// erasure or a bound.
        package let transactions: Set<TransactionId>
    }

    /// The searched and the unsearched parts of a topic.
    package struct Extent: Hashable, Sendable {
        package let topic: String
        /// The searched partitions, in ascending order.
        package let partitions: [Int32]
        /// The topic's number of partitions.
        package let partitionCount: Int
        /// The offsets searched in each partition, such as `0-17` or `0-17+90-99`, or `none` for an empty partition.
        package let offsets: [String]
        /// The number of records read.
        package let records: Int64
        /// The unread partitions and offsets that may contain parts of the story, or nil if there are none.
        package let notSearched: String?

        package init(
            topic: String, partitions: [Int32], partitionCount: Int, offsets: [String], records: Int64,
            notSearched: String? = nil
        ) {
            self.topic = topic
            self.partitions = partitions
            self.partitionCount = partitionCount
            self.offsets = offsets
            self.records = records
            self.notSearched = notSearched
        }
    }

    /// A part missing from the story, and how to obtain it.
    package struct Gap: Hashable, Sendable {
        package let what: String
        package let fix: String

        package init(_ what: String, fix: String) {
            self.what = what
            self.fix = fix
        }
    }

    package let identifier: StoryIdentifier
    /// The kinds of identifier that matched the text.
    package var kinds: [StoryIdentifier.Kind] = []
    package let environment: AppStoreEnvironment
    package var purchases: [Purchase] = []
    /// Events, oldest first.
    package var entries: [StoryEntry] = []
    package var searched: [Extent] = []
    package var gaps: [Gap] = []
    /// Whether every topic that can contain parts of the story exists and was read completely.
    package var isComplete = true

    package init(_ identifier: StoryIdentifier, _ environment: AppStoreEnvironment) {
        self.identifier = identifier
        self.environment = environment
    }

    /// Whether ``limit(from:to:)`` removed any events.
    private var isLimited = false

    /// Whether anything was found, at any time.
    package var isFound: Bool { isLimited || !entries.isEmpty }

    /// Adds events in chronological order. Events at the same time keep their given order.
    package mutating func add(_ others: [StoryEntry]) {
        let all = (entries + others).enumerated()
        entries = all.sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(\.element)
    }

    /// Adds a gap for records that are damaged or have another version's format. The story is then incomplete.
    mutating func addGap(unreadable count: Int, _ records: String) {
        isComplete = false
        gaps.append(
            Gap(
                "unreadable \(records): \(count), which are damaged or have the format of another version",
                fix: "Use the version of the service that wrote them"))
    }

    /// Removes the events outside a time range.
    package mutating func limit(from: AppStoreInstant?, to: AppStoreInstant?) {
        let count = entries.count
        entries.removeAll { entry in
            from.map { entry.at < $0 } ?? false || to.map { entry.at >= $0 } ?? false
        }
        if entries.count < count { isLimited = true }
    }
}
