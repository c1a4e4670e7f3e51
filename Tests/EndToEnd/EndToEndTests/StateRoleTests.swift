import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Members that only process, and one that only answers.
    @Suite struct StateRoles {
        @Test func `two workers and a reader reach the state of one undisturbed member`() async throws {
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
                    // The other one takes over some partitions that it follows as a standby, and some that it does not.
                    try await group.wait(for: members[1]) { await $0.partitions == group.assignedPartitions }
                    try await load.wait(for: 50)
                    members[0] = try await group.member("0", settings: session)
                    try await group.waitUntilHandling([members[0]])
                    try await load.wait(for: 50)
                }
                for member in members {
                    #expect(!member.process.log.contains { $0.fields.text("listener") == "entitlements" })
                }
                // A reader is not a member of a group, so it has read no notification.
                #expect(await reader.sum(of: "sluice_consumer_records_total") == 0)
                try await group.conclude(
                    load, members, readers: [reader],
                    FaultReport("kill -9 of a worker with its disk, beside a reader, embedded broker"), repeats: true)
            }
        }
    }
}
