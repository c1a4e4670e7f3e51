import CommandLine
import Configuration
import Testing

@testable import ServiceKit

/// Errors in the properties of librdkafka.
@Suite struct ApplicationSettingsTests {
    @Test(arguments: [
        ("client.id", "c"), ("debug", "broker"), ("linger.ms", "5"), ("message.max.bytes", "1000000"),
        ("socket.timeout.ms", "10000"), ("batch.size", "131072"),
    ])
    func `an error names the whole property even if another one is a prefix of it`(name: String, value: String) throws {
        let command = Command(
            "test", summary: "Tests.",
            schema: ConfigurationSchema(ApplicationSettings.all, openPrefixes: [ApplicationSettings.kafka]),
            version: "0")
        let outcome = command.parse(["--kafka.\(name)", value, "--kafka.\(name).x", value], environment: [:])
        guard case .run(let invocation) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        let error = #expect(throws: ConfigurationError.self) {
            _ = try ApplicationSettings.kafkaConfiguration(invocation.configuration)
        }
        #expect(error?.key == "kafka.\(name).x")
    }
}
