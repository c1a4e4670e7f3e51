import Kafka
import Testing

@testable import KeyedState

struct ChangelogTests {
    @Test func `a fetch waits for 64 KiB, except from the embedded broker and if another size is set`() throws {
        func fetchSize(_ properties: [String: String], _ profile: KafkaConfiguration.Profile) throws -> String? {
            let kafka = try KafkaConfiguration(
                bootstrapServers: "localhost:9092", properties: properties, profile: profile)
            return try Changelog.readingConfiguration(kafka).properties["fetch.min.bytes"]
        }
        #expect(try fetchSize([:], .production) == "65536")
        #expect(try fetchSize([:], .embedded) == nil)
        #expect(try fetchSize(["fetch.min.bytes": "1"], .production) == "1")
    }
}
