internal import ArchiveLog
internal import Records

/// The inputs provided by the operator.
struct CapacityDemand: Equatable {
    var notificationsPerDay: Int
    /// The peak rate as a multiple of the daily average.
    var peak: Int
    /// Planned CPU utilization of a core in percent; the rest is headroom for catching up and restarts.
    var utilization: Int
    var replicationFactor: Int
    /// The number of purchases with a state, or nil if it is unknown. This number determines the size of the
    /// entitlements topic.
    var purchases: Int?
    /// How long the archive retains payloads, in days.
    var archiveDays: Int
}

/// The resources that an installation needs for a given number of notifications, computed only from the demand and the
/// measured figures.
struct CapacityPlan {
    /// A line of the plan.
    struct Item: Equatable {
        /// The member name in the JSON output. These names are a public contract.
        let name: String
        /// The value, rounded up.
        let value: Int
        let unit: Unit
        /// The figures and assumptions on which the value is based.
        let basis: String
    }

    enum Unit: String {
        case perSecond = "/s"
        case millicores = "m"
        case count = ""
        case bytes = "B"
        case bytesPerSecond = "B/s"
    }

    /// The number of Sluice's consumer groups that read every notification: the groups that maintain keyed topics, plus
    /// the archive.
    static let groups = TopicNames.consumerGroups.count + 1
    /// The defaults of `archive.flush.records` and, in seconds, of `archive.flush.interval`.
    static let flushRecords = 1000
    static let flushSeconds = 5

    let items: [Item]

    init(_ demand: CapacityDemand, _ figures: CapacityFigures) {
        let sums = Sums(demand, figures)
        items = sums.rates + sums.processes + sums.kafka + sums.archive
    }
}

/// The intermediate sums of a plan.
private struct Sums {
    let demand: CapacityDemand
    let figures: CapacityFigures
    let perDay: Double
    let peakRate: Double

    init(_ demand: CapacityDemand, _ figures: CapacityFigures) {
        self.demand = demand
        self.figures = figures
        perDay = Double(demand.notificationsPerDay)
        peakRate = perDay / 86_400 * Double(demand.peak)
    }

    private func item(
        _ name: String, _ value: Double, _ unit: CapacityPlan.Unit, _ basis: String
    ) -> CapacityPlan.Item {
        CapacityPlan.Item(name: name, value: Int(exactly: value.rounded(.up)) ?? .max, unit: unit, basis: basis)
    }

    var rates: [CapacityPlan.Item] {
        [
            item("averagePerSecond", perDay / 86_400, .perSecond, "notifications per day"),
            item("peakPerSecond", peakRate, .perSecond, "peak"),
        ]
    }

    // MARK: processes

    /// Returns the CPU capacity, in thousandths of a core, required for work that takes this number of microseconds per
    /// notification.
    private func millicores(_ microseconds: Double) -> Double {
        peakRate * microseconds / 1e6 * 1000 / (Double(demand.utilization) / 100)
    }

    private var entitlements: Double { millicores(figures[.entitlements]) }

    var processes: [CapacityPlan.Item] {
        [
            item("ingressMillicores", millicores(figures[.ingress]), .millicores, name(.ingress)),
            item("entitlementsMillicores", entitlements, .millicores, name(.entitlements)),
            item("archiveMillicores", millicores(1e6 / figures[.archive]), .millicores, name(.archive)),
        ]
    }

    // MARK: Kafka

    /// The number of partitions: three times the number of single-core members needed at the peak, or the default if
    /// that is greater. The number of partitions cannot be changed later.
    private var partitions: Double {
        max(Double(TopicSpecification.defaultPartitions), (entitlements / 1000).rounded(.up) * 3)
    }

    private var replicas: Double { Double(demand.replicationFactor) }

    var kafka: [CapacityPlan.Item] {
        let kept = perDay * figures[.record] * Double(TopicSpecification.notificationDays)
        let state = demand.purchases.map { Double($0) * figures[.state] }
        let written = peakRate * figures[.record]
        return [
            item("partitions", partitions, .count, "\(name(.entitlements)), three times the number of members"),
            item("brokers", replicas, .count, "replication factor"),
            item(
                "notificationTopicBytes", kept * replicas, .bytes,
                "\(name(.record)), \(TopicSpecification.notificationDays) days, all replicas"),
        ]
            + (state.map {
                [
                    item(
                        "entitlementTopicBytes", $0 * replicas, .bytes,
                        "\(name(.state)), purchases, all replicas, after compaction")
                ]
            } ?? [])
            + [
                item(
                    "diskBytesPerBroker", kept + (state ?? 0), .bytes,
                    "the sum of the lines above, with a replica on each broker"),
                item("ingressBytesPerSecond", peakRate * figures[.body], .bytesPerSecond, name(.body)),
                item(
                    "kafkaWrittenBytesPerSecond", written * replicas, .bytesPerSecond,
                    "\(name(.record)), replication included"),
                item(
                    "kafkaReadBytesPerSecond", written * Double(CapacityPlan.groups), .bytesPerSecond,
                    "\(name(.record)), \(CapacityPlan.groups) groups"),
            ]
    }

    // MARK: archive

    var archive: [CapacityPlan.Item] {
        let bytes = perDay * figures[.record] * figures[.archiveRatio]
        let commits = min(
            perDay, partitions * 86_400 / Double(CapacityPlan.flushSeconds) + perDay / Double(CapacityPlan.flushRecords)
        )
        // Every 256 leaves require a segment, an entry bundle and a hash tile.
        let objects = 3 * perDay / Double(ArchiveSegment.maximumCount)
        return [
            item("archiveBytesPerDay", bytes, .bytes, "\(name(.record)) x \(name(.archiveRatio))"),
            item("archiveBytes", bytes * Double(demand.archiveDays), .bytes, "days of archive.retention"),
            item("archiveObjectsPerDay", objects, .count, "3 per \(ArchiveSegment.maximumCount) records"),
            item(
                "archiveCheckpointsPerDay", commits, .count,
                "at most: one per partition every \(CapacityPlan.flushSeconds) s, "
                    + "plus one per \(CapacityPlan.flushRecords) records"
            ),
            item(
                "archiveCopiesPerDay", min(commits, partitions * 24), .count,
                "at most: one checkpoint per partition per hour"),
        ]
    }

    private func name(_ name: CapacityFigures.Name) -> String { name.rawValue }
}
