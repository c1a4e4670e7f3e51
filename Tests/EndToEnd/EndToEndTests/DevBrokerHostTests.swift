import AppStoreModel
import Foundation
import Kafka
import Records
import TestSupport
import Testing

extension EndToEnd {
    /// The development broker on an address other than 127.0.0.1, as in a container.
    @Suite struct DevBrokerHosts {
        @Test(arguments: [["--port", "0"], ["--port", "0", "--brokers", "3"]])
        func `clients reach each broker on its configured address`(_ arguments: [String]) async throws {
            try await Harness.open { harness in
                let process = try harness.start(
                    Executable(
                        "sluice-dev-broker",
                        arguments: arguments + ["--host", "127.0.0.2", "--topics.prefix", harness.topics.prefix]))
                let servers = try #require(try await process.ready().fields.text("bootstrapServers"))
                #expect(servers.split(separator: ",").allSatisfy { $0.hasPrefix("127.0.0.2:") }, "\(servers)")

                // The producer connects to the leaders at their advertised addresses.
                let broker = Broker(
                    bootstrapServers: servers, topics: harness.topics, machinery: .embedded(process))
                let topic = broker.notifications(.production)
                let values = (0..<20).map { "value \($0)" }
                try await broker.write(
                    values.map { KafkaProducerRecord(topic: topic, key: Array($0.utf8), value: Array($0.utf8)) })
                let read = try await broker.records(of: topic).compactMap(\.value).map {
                    String(decoding: $0, as: UTF8.self)
                }
                #expect(Set(read) == Set(values))
            }
        }
    }
}
