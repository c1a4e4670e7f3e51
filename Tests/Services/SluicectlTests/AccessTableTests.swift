import AppStoreModel
import Kafka
import Records
import Testing

@testable import Sluicectl

/// The minimum rights of each executable, as measured on brokers that deny by default.
@Suite struct AccessTableTests {
    private static let names = TopicNames(prefix: "test")

    private static func table(
        webhooks: [AccessOptions.WebhookReceiver] = [
            .init(group: "sluice-webhooks", inputs: ["test.entitlements.production"], rebuilds: false)
        ], anchors: Bool = true,
        repairs: Bool = true, stories: Bool = false, isReader: Bool = false, events: Bool = false,
        groups: [AccessTable.Executable: String] = [:]
    ) -> AccessTable {
        AccessTable(
            names: names, groups: groups, isReader: isReader,
            options: AccessOptions(
                webhookReceivers: webhooks,
                archived: ["test.quarantine", "test.notifications.sandbox.inbox.dlq"], anchorsInKafka: anchors,
                repairsStatuses: repairs, tellsStories: stories, publishesOperatorEvents: events))
    }

    /// Returns one line for each right: the first letters of its operations (D is DescribeConfigs, d is Describe) and
    /// the name.
    private static func lines(_ rights: [AccessRight]) -> Set<String> {
        let letters: [AccessRight.Operation: String] = [.read: "R", .write: "W", .describe: "d", .describeConfigs: "D"]
        return Set(
            rights.map { right in
                let operations = right.operations.compactMap { letters[$0] }.joined()
                return operations + (right.resource == .group ? " group " : " ") + right.name
            })
    }

    private static func both(_ operations: String, _ topic: String) -> Set<String> {
        let (head, tail) = (topic.prefix { $0 != "*" }, topic.drop { $0 != "*" }.dropFirst())
        return ["\(operations) test.\(head)production\(tail)", "\(operations) test.\(head)sandbox\(tail)"]
    }

    @Test func `the ingress writes its topics and only reads certificates`() {
        let expected: Set = ["WD test.quarantine", "RWD test.certificates", "d group sluice-ingress"]
        #expect(
            Self.lines(Self.table().rights(of: .ingress)) == expected.union(Self.both("WD", "notifications.*")))
    }

    @Test func `entitlements owns its state, and only reads notifications and certificates`() {
        #expect(
            Self.lines(Self.table().rights(of: .entitlements))
                == Self.both("RD", "notifications.*").union(Self.both("RWD", "entitlements.*"))
                .union(Self.both("WD", "notifications.*.sluice-entitlements.dlq")).union([
                    "R test.certificates", "R group sluice-entitlements", "RD test.control",
                ]))
    }

    @Test func `a reader of entitlements writes no dead letters and joins no group`() {
        #expect(
            Self.lines(Self.table(isReader: true).rights(of: .entitlements))
                == Self.both("RD", "notifications.*").union(Self.both("RWD", "entitlements.*"))
                .union(Self.both("dD", "notifications.*.sluice-entitlements.dlq")).union([
                    "R test.certificates", "d group sluice-entitlements", "RD test.control",
                ]))
    }

    @Test(arguments: [true, false])
    func `stories add rights to a purchase's other topics, and to the other groups`(_ isReader: Bool) {
        let usual = Self.lines(Self.table(isReader: isReader).rights(of: .entitlements))
        let own = Self.both(isReader ? "RD" : "RWD", "notifications.*.sluice-entitlements.dlq")
        let others = [
            "notifications.*.sluice-refunds", "notifications.*.sluice-reconciler", "entitlements.*.sluice-webhooks",
        ]
        .flatMap { Self.both("R", $0 + ".dlq") }
        let groups = ["refunds", "reconciler", "archive", "webhooks"].map { "d group sluice-\($0)" }
        #expect(
            Self.lines(Self.table(stories: true, isReader: isReader).rights(of: .entitlements))
                == usual.filter { !$0.hasSuffix(".sluice-entitlements.dlq") }.union(own).union(others).union(groups)
                .union(Self.both("R", "refunds.*")).union(["R test.quarantine", "R test.archive.sluice-archive.dlq"]))
    }

    @Test func `refunds reads preferences and writes none`() {
        #expect(
            Self.lines(Self.table().rights(of: .refunds))
                == Self.both("RD", "notifications.*").union(Self.both("RWD", "refunds.*"))
                .union(Self.both("WD", "notifications.*.sluice-refunds.dlq")).union([
                    "RD test.refunds.preferences", "R group sluice-refunds", "RD test.control",
                ]))
    }

    @Test(arguments: [(true, "RW"), (false, "R")])
    func `the reconciler writes entitlements only when it repairs them`(_ repairs: Bool, _ operations: String) {
        #expect(
            Self.lines(Self.table(repairs: repairs).rights(of: .reconciler))
                == Self.both("RWD", "notifications.*").union(Self.both("RWD", "reconciliation.*"))
                .union(Self.both(operations, "entitlements.*"))
                .union(Self.both("WD", "notifications.*.sluice-reconciler.dlq")).union([
                    "RWD test.quarantine", "RWD test.certificates", "R group sluice-reconciler", "RD test.control",
                ]))
    }

    @Test(arguments: [(true, "RWD"), (false, "dD")])
    func `the archive reads its input topics, and owns checkpoints only with Kafka as an anchor`(
        _ anchors: Bool, _ operations: String
    ) {
        #expect(
            Self.lines(Self.table(anchors: anchors).rights(of: .archive)) == [
                "RD test.quarantine", "RD test.notifications.sandbox.inbox.dlq", "W test.erasures",
                "RWD test.archive.keys", "\(operations) test.archive.checkpoints", "WD test.archive.sluice-archive.dlq",
                "R group sluice-archive", "RD test.control",
            ])
    }

    @Test(arguments: [(false, [String]()), (true, ["RD test.certificates"])])
    func `webhooks read their input, and certificates only to rebuild signed bodies`(
        _ rebuilds: Bool, _ more: [String]
    ) {
        let receiver = AccessOptions.WebhookReceiver(
            group: "sluice-webhooks", inputs: ["test.notifications.sandbox"], rebuilds: rebuilds)
        #expect(
            Self.lines(Self.table(webhooks: [receiver]).rights(of: .webhooks))
                == Set(
                    [
                        "RD test.notifications.sandbox", "WD test.notifications.sandbox.sluice-webhooks.dlq",
                        "R group sluice-webhooks", "RD test.control",
                    ] + more))
    }

    @Test func `a receiver of operator events reads them, and writes their dead letters`() {
        let receiver = AccessOptions.WebhookReceiver(group: "ops", inputs: ["test.operations"], rebuilds: false)
        #expect(
            Self.lines(Self.table(webhooks: [receiver]).rights(of: .webhooks)) == [
                "RD test.operations", "WD test.operations.ops.dlq", "R group ops", "RD test.control",
            ])
        let specifications = Self.names.specifications(
            partitions: 3, groups: Self.names.furtherGroups([receiver]), receivers: [receiver])
        let usual = Self.names.specifications(partitions: 3)
        #expect(specifications.count == usual.count + 1)
        #expect(specifications.first { $0.name == "test.operations.ops.dlq" }?.partitions == 1)
    }

    @Test func `each receiver of webhooks has its group and its dead letter topics`() {
        let receivers = ["crm", "billing"].map {
            AccessOptions.WebhookReceiver(group: $0, inputs: ["test.entitlements.production"], rebuilds: false)
        }
        #expect(
            Self.lines(Self.table(webhooks: receivers).rights(of: .webhooks)) == [
                "RD test.entitlements.production", "R group crm", "R group billing", "RD test.control",
                "WD test.entitlements.production.crm.dlq", "WD test.entitlements.production.billing.dlq",
            ])
    }

    @Test(arguments: AccessTable.Executable.allCases)
    func `operator events add the right to write them`(_ executable: AccessTable.Executable) {
        let usual = Self.lines(Self.table().rights(of: executable))
        #expect(
            Self.lines(Self.table(events: true).rights(of: executable)) == usual.union(["WD test.operations"]))
    }

    @Test(arguments: AccessTable.Executable.allCases.filter { $0 != .webhooks })
    func `a custom group is in the names of the dead letter topics`(_ executable: AccessTable.Executable) {
        let rights = Self.lines(Self.table(groups: [executable: "other"]).rights(of: executable))
        let usual = Self.lines(Self.table().rights(of: executable))
        // The archive has one dead-letter topic, regardless of its group.
        let expected = usual.map { line in
            line.hasSuffix(".sluice-archive.dlq") ? line : line.replacing(executable.rawValue, with: "other")
        }
        #expect(rights == Set(expected))
        #expect(rights.contains { $0.hasSuffix("group other") })
    }

    @Test func `every topic with a right is created by topics apply`() {
        let created = Set(Self.names.specifications(partitions: 1, groups: ["inbox"]).map { $0.name.rawValue })
        for executable in AccessTable.Executable.allCases {
            let rights = Self.table().rights(of: executable)
            #expect(rights.filter { $0.resource == .topic }.allSatisfy { created.contains($0.name) })
            #expect(Set(rights.map(\.name)).count == rights.count)
        }
    }

    @Test func `rights on one resource are merged, without implied operations`() {
        let merged = AccessRight.merged([
            AccessRight(.topic, "a", [.describe, .describeConfigs]), AccessRight(.group, "a", [.describe]),
            AccessRight(.topic, "a", [.write]),
        ])
        #expect(
            merged == [
                AccessRight(.topic, "a", [.write, .describeConfigs]), AccessRight(.group, "a", [.describe]),
            ])
        #expect(merged.first?.operations == [.write, .describeConfigs])
    }
}
