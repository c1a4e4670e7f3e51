internal import AppStoreModel
internal import Kafka
internal import Records

/// The minimum permissions that each executable needs for the topics and groups of an installation. The commands and
/// the manual are generated from this table, and tests on Apache Kafka run the executables with exactly these
/// permissions.
///
/// Each executable may describe the settings of the topics that it checks at startup (DescribeConfigs). No executable
/// needs Create, a cluster permission or, since Kafka 2.8, IdempotentWrite.
struct AccessTable {
    /// The executables that connect to Kafka with their own principal.
    enum Executable: String, CaseIterable {
        case ingress = "sluice-ingress"
        case entitlements = "sluice-entitlements"
        case refunds = "sluice-refunds"
        case reconciler = "sluice-reconciler"
        case archive = "sluice-archive"
        case webhooks = "sluice-webhooks"
    }

    let names: TopicNames
    /// The consumer groups whose names differ from their executable's. The ingress is not in any group, but librdkafka
    /// looks up the coordinator of a group named after its `client.id`.
    var groups: [Executable: String] = [:]
    /// Whether `sluice-entitlements` is a reader (`state.role`), which is not in any group.
    var isReader = false
    let options: AccessOptions

    private static let reading: Set<AccessRight.Operation> = [.read, .describeConfigs]
    private static let writing: Set<AccessRight.Operation> = [.write, .describeConfigs]
    private static let owning: Set<AccessRight.Operation> = [.read, .write, .describeConfigs]
    private static let looking: Set<AccessRight.Operation> = [.describe, .describeConfigs]

    /// Returns one entry per topic and group.
    func rights(of executable: Executable) -> [AccessRight] {
        var rights = allRights(of: executable)
        let further = (executable != .ingress ? control : []) + operatorEvents
        rights.insert(contentsOf: further, at: rights.firstIndex { $0.resource == .group } ?? rights.endIndex)
        return AccessRight.merged(rights)
    }

    private func allRights(of executable: Executable) -> [AccessRight] {
        switch executable {
        case .ingress: ingress
        case .entitlements: (isReader ? entitlementsReader : entitlements) + stories
        case .refunds: refunds
        case .reconciler: reconciler
        case .archive: archive
        case .webhooks: webhooks
        }
    }

    /// The permission to read the control topic, because every consumer checks whether its group is paused.
    private var control: [AccessRight] { topics([names.control], Self.reading) }

    private var operatorEvents: [AccessRight] {
        options.publishesOperatorEvents ? topics([names.operations], Self.writing) : []
    }

    private var ingress: [AccessRight] {
        topics(names.ingress().map(\.name), Self.writing) + topics([names.certificates], [.read])
            + group(of: .ingress, .describe)
    }

    private var entitlements: [AccessRight] {
        topics(notifications, Self.reading) + topics(environments(names.entitlements), Self.owning)
            + topics([names.certificates], [.read]) + topics(deadLetters(of: .entitlements), Self.writing)
            + group(of: .entitlements, .read)
    }

    /// The permissions of a reader. It reads the input topics because it needs the age of the next notification when
    /// the group lags.
    private var entitlementsReader: [AccessRight] {
        topics(notifications, Self.reading) + topics(environments(names.entitlements), Self.owning)
            + topics([names.certificates], [.read]) + topics(deadLetters(of: .entitlements), Self.looking)
            + group(of: .entitlements, .describe)
    }

    /// The additional permissions for `/v1/story`, which also reads refund cases, quarantined notifications and dead
    /// letters, and the offsets of the other groups. It looks up the other groups by their default names.
    private var stories: [AccessRight] {
        guard options.tellsStories else { return [] }
        let letters = names.specifications().map(\.name).filter { $0.rawValue.hasSuffix(".dlq") }
        let groups = (TopicNames.consumerGroups + [TopicNames.archiveGroup, TopicNames.webhooksGroup])
            .filter { $0 != name(ofGroup: .entitlements) }
        return topics(environments(names.refunds) + [names.quarantine], [.read])
            + topics(deadLetters(of: .entitlements) + letters, [.read])
            + groups.map { AccessRight(.group, $0, [.describe]) }
    }

    private var refunds: [AccessRight] {
        topics(notifications, Self.reading) + topics(environments(names.refunds), Self.owning)
            + topics([names.refundPreferences], Self.reading) + topics(deadLetters(of: .refunds), Self.writing)
            + group(of: .refunds, .read)
    }

    private var reconciler: [AccessRight] {
        topics(notifications + environments(names.reconciliation), Self.owning)
            + topics([names.quarantine, names.certificates], Self.owning)
            + topics(environments(names.entitlements), options.repairsStatuses ? [.read, .write] : [.read])
            + topics(deadLetters(of: .reconciler), Self.writing) + group(of: .reconciler, .read)
    }

    private var archive: [AccessRight] {
        // For each erasure, the archive publishes the destroyed keys to the erasures topic.
        topics(options.archived, Self.reading) + topics([names.erasures], [.write])
            + topics([names.archiveKeys], Self.owning)
            + topics([names.archiveCheckpoints], options.anchorsInKafka ? Self.owning : Self.looking)
            + topics([names.archiveDeadLetters], Self.writing) + group(of: .archive, .read)
    }

    private var webhooks: [AccessRight] {
        options.webhookReceivers.flatMap { receiver in
            topics(receiver.inputs, Self.reading)
                + topics(receiver.rebuilds ? [names.certificates] : [], Self.reading)
                + topics(receiver.inputs.map { $0.deadLetters(of: receiver.group) }, Self.writing)
                + [AccessRight(.group, receiver.group, [.read])]
        }
    }

    private var notifications: [KafkaTopic] { names.notifications().map(\.name) }

    private func environments(_ topic: (AppStoreEnvironment) -> KafkaTopic) -> [KafkaTopic] {
        AppStoreEnvironment.published.map(topic)
    }

    private func deadLetters(of executable: Executable) -> [KafkaTopic] {
        names.deadLetters(of: name(ofGroup: executable)).map(\.name)
    }

    private func name(ofGroup executable: Executable) -> String { groups[executable] ?? executable.rawValue }

    private func topics(_ topics: [KafkaTopic], _ operations: Set<AccessRight.Operation>) -> [AccessRight] {
        topics.map { AccessRight(.topic, $0.rawValue, operations) }
    }

    private func group(of executable: Executable, _ operation: AccessRight.Operation) -> [AccessRight] {
        [AccessRight(.group, name(ofGroup: executable), [operation])]
    }
}
