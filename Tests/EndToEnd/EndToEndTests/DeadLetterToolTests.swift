import AppStoreModel
import Kafka
import TestSupport
import Testing

extension EndToEnd {
    /// `sluicectl dlq` on Apache Kafka, which can delete records; the embedded broker cannot.
    @Suite(.enabled(if: ApacheKafka.isAvailable, "\(ApacheKafka.absence)")) struct DeadLettersOnApacheKafka {
        @Test func `discard deletes the dead letters of a partition up to the given one, and only with --yes`()
            async throws
        {
            try await Harness.open { harness in
                let broker = try await harness.apacheKafka(partitions: 2)
                let topic = broker.deadLetterTopic()
                try await broker.write(
                    [(0, "a"), (0, "b"), (0, "c"), (1, "d"), (1, "e")].map { partition, value in
                        letter(value, topic, partition, broker)
                    })
                let all = ["0-0 a", "0-1 b", "0-2 c", "1-0 d", "1-1 e"]
                #expect(try await letters(broker) == all)
                let discard = ["dlq", "discard", "0-1", "--topic", topic.rawValue] + broker.tapArguments

                let asked = try await harness.sluicectl(discard)
                #expect(asked.end == .exit(1), "\(asked)")
                #expect(try asked.json.flag("ok") == false)
                #expect(try asked.json.integer("records") == 2)
                #expect(asked.errors.contains("--yes"))
                #expect(try await letters(broker) == all)

                let done = try await harness.sluicectl(discard + ["--yes"])
                #expect(done.end == .exit(0), "\(done)")
                #expect(try done.json.flag("ok") == true)
                #expect(try done.json.text("topic") == topic.rawValue)
                #expect(try done.json.text("position") == "0-1")
                #expect(try done.json.integer("records") == 2)
                #expect(try await letters(broker) == ["0-2 c", "1-0 d", "1-1 e"])
                try await expectList(["0-2", "1-0", "1-1"], broker, harness)

                // The record no longer exists, and nothing else is deleted instead.
                let again = try await harness.sluicectl(discard + ["--yes"])
                #expect(again.end == .exit(1), "\(again)")
                #expect(again.errors.contains("has no record at 0-1"))
                #expect(try await letters(broker) == ["0-2 c", "1-0 d", "1-1 e"])
            }
        }

        @Test func `discarding the last dead letter of a partition leaves the other partitions unchanged`()
            async throws
        {
            try await Harness.open { harness in
                let broker = try await harness.apacheKafka(partitions: 2)
                let topic = broker.deadLetterTopic()
                try await broker.write(
                    [(0, "a"), (1, "b"), (1, "c")].map { partition, value in letter(value, topic, partition, broker) })
                let done = try await harness.run(
                    Executable(
                        "sluicectl",
                        arguments: ["dlq", "discard", "1-1", "--topic", topic.rawValue, "--yes"] + broker.tapArguments))
                #expect(done.end == .exit(0), "\(done)")
                #expect(
                    done.output.contains("deleted everything up to and including 1-1, at most 2 records"), "\(done)")
                #expect(try await letters(broker) == ["0-0 a"])
                try await expectList(["0-0"], broker, harness)
                // Later failures receive the next offset.
                try await broker.write([letter("d", topic, 1, broker)])
                #expect(try await letters(broker) == ["0-0 a", "1-2 d"])
            }
        }

        private func letter(
            _ value: String, _ topic: KafkaTopic, _ partition: Int32, _ broker: Broker
        ) -> KafkaProducerRecord {
            KafkaProducerRecord(
                topic: topic, partition: KafkaPartition(rawValue: partition), key: Array("com.example.app/1".utf8),
                value: Array(value.utf8),
                headers: [
                    KafkaHeader(key: "__connect.errors.topic", text: broker.notifications(.production).rawValue),
                    KafkaHeader(key: "sluice.dlq.group", text: Broker.group),
                    KafkaHeader(key: "sluice.dlq.reason", text: "identity_missing"),
                ])
        }

        /// Returns partition, offset and value of each remaining dead letter, read with our own client.
        private func letters(_ broker: Broker) async throws -> [String] {
            try await broker.deadLetters().map {
                "\($0.partition.rawValue)-\($0.offset.rawValue) \(String(decoding: $0.value ?? [], as: UTF8.self))"
            }.sorted()
        }

        private func expectList(_ positions: [String], _ broker: Broker, _ harness: Harness) async throws {
            let list = try await harness.sluicectl(["dlq", "list"] + broker.tapArguments)
            #expect(list.end == .exit(0), "\(list)")
            #expect(try list.jsonLines.compactMap { $0.text("position") }.sorted() == positions)
        }
    }
}
