import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Members that only work, and one that only answers.
    @Suite struct StateRoles {
        @Test func `two workers and a reader end in the state of one undisturbed member`() async throws {
            try await ConsumerGroup.openEmbedded(.workersAndReader) { group, load in
                let reader = try await group.reader()
                // The broker removes a killed member when its session ends.
                let session = ["--kafka.session.timeout.ms", "6000", "--kafka.heartbeat.interval.ms", "1000"]
                var members = [
                    try await group.member("0", settings: session), try await group.member("1", settings: session),
                ]
                try await load.run {
                    try await group.waitUntilHandling(members)
                    try await load.wait(for: 50)
                    try await members[0].die()
                    try FileManager.default.removeItem(atPath: group.directory(of: members[0].name))
                    // The other one takes over partitions that it follows as a standby, and others.
                    try await group.wait(for: members[1]) { await $0.partitions == group.assignedPartitions }
                    try await load.wait(for: 50)
                    members[0] = try await group.member("0", settings: session)
                    try await group.waitUntilHandling([members[0]])
                    try await load.wait(for: 50)
                }
                for member in members {
                    #expect(!member.process.log.contains { $0.fields.text("listener") == "entitlements" })
                }
                // A reader is in no group: it has read no notification.
                #expect(await reader.sum(of: "sluice_consumer_records_total") == 0)
                try await group.conclude(
                    load, members, readers: [reader],
                    FaultReport("kill -9 of a worker with its disk, beside a reader, embedded broker"), repeats: true)
            }
        }
    }
}
