import AppStoreModel
import Foundation
import Kafka
import Records
import TestSupport
import Testing

extension EndToEnd {
    /// What Sources/Pipeline/README.md shows is what runs.
    @Suite struct Tutorial {
        @Test(
            .enabled(
                "python3 with venv, and PyPI for confluent-kafka and cloudevents, are not here",
                { await PythonEnvironment.shared.value != nil }))
        func `the Python consumer of the tutorial reads what the ingress wrote`() async throws {
            let python = try #require(await PythonEnvironment.shared.value)
            try await Harness.open { harness in
                let broker = try await harness.embeddedBroker()
                let ingress = try await harness.ingress(on: broker, for: try await harness.simulatedApp())
                let posted = try await harness.post(
                    to: ingress, ["--scenario", "subscription-life", "--accounts", "2", "--app", SentApp.simulated])
                let script = try harness.write(try Self.script(), to: "consumer.py")
                let consumer = try harness.start(
                    "python", [python, script],
                    [
                        "SLUICE_KAFKA_BOOTSTRAP_SERVERS": broker.bootstrapServers,
                        "TOPIC": broker.notifications(.production).rawValue,
                    ])
                _ = await eventually(within: .seconds(40)) {
                    consumer.output.split(separator: "\n").count >= posted.count || consumer.ended != nil
                }
                let lines = consumer.output.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
                #expect(posted.count > 4)
                #expect(
                    Set(lines.compactMap(\.first)) == Set(posted.compactMap { $0.text("notificationUUID") }),
                    "\(consumer)")
                let types = Dictionary(
                    posted.map { ($0.text("notificationUUID"), $0) }, uniquingKeysWith: { first, _ in first })
                for line in lines {
                    let notification = try #require(types[line.first])
                    let type = try #require(notification.text("notificationType"))
                    #expect(line[1].hasPrefix("com.apple.appstore.\(type)"))
                    #expect(line[2] == notification.text("originalTransactionId"))
                    #expect(line.count == 4 && line[3] != "None", "\(line)")
                }
            }
        }

        /// The block of Python in the tutorial.
        private static func script() throws -> String {
            let page = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
                .appending(path: "../../../Sources/Pipeline/README.md").standardized
            let text = try String(contentsOf: page, encoding: .utf8)
            let block = text.components(separatedBy: "```python\n").dropFirst().first?.components(separatedBy: "```\n")
            return try #require(block?.first, "no block of Python in \(page.path)")
        }
    }
}

/// A virtual environment with what the tutorial installs, made once a run.
private enum PythonEnvironment {
    /// Its interpreter; nil when it cannot be made here. Awaited by the condition of the test.
    static let shared = Task { () -> String? in
        guard let python = Program.path(of: "python3") else { return nil }
        let directory = ProcessCleanup.shared.directory
        let home = "\(directory)/python"
        let commands = [
            [python, "-m", "venv", home],
            [
                "\(home)/bin/pip", "install", "--quiet", "--disable-pip-version-check", "--retries", "1", "--timeout",
                "10", "--only-binary", ":all:", "confluent-kafka", "cloudevents<2",
            ],
        ]
        for command in commands {
            let run = try? await ChildProcess.run("python", command, directory: directory, within: .seconds(90))
            guard run?.end == .exit(0) else { return nil }
        }
        return "\(home)/bin/python"
    }
}
