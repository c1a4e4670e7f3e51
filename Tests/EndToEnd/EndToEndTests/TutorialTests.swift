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

        /// Builds the runtime once more, for a package of its own: minutes the first time.
        @Test(
            .enabled(
                if: ProcessInfo.processInfo.environment["SLUICE_TEST_TUTORIAL"] != nil,
                "SLUICE_TEST_TUTORIAL is not set: make tutorial"),
            .timeLimit(.minutes(30)))
        func `the Swift package of the tutorial is built, keeps the contract and reads what the ingress wrote`()
            async throws
        {
            let package = try TutorialPackage()
            for arguments in [["build", "--build-tests"], ["test", "--skip-build"]] {
                let (end, swift) = try await package.swift(arguments)
                #expect(end == .exit(0), "\(swift.output)\(swift)")
                guard end == .exit(0) else { return }
            }
            try await Harness.open { harness in
                let broker = try await harness.embeddedBroker(groups: ["inbox"])
                let ingress = try await harness.ingress(on: broker, for: try await harness.simulatedApp())
                let posted = try await harness.post(
                    to: ingress, ["--scenario", "subscription-life", "--accounts", "2", "--app", SentApp.simulated])
                let inbox = package.directory.file("kept")
                let consumer = try harness.start(
                    "inbox",
                    [
                        package.executable, "--kafka.bootstrap.servers", broker.bootstrapServers, "--profile",
                        "single-node", "--admin.port", "0", "--data.dir", package.directory.path,
                        "--inbox.directory", inbox, "--topics.prefix", broker.topics.prefix,
                    ], [:])
                let expected = Set(
                    posted.compactMap { $0.text("notificationUUID").flatMap(UUID.init(uuidString:)) }
                        .map { $0.uuidString + ".json" })
                #expect(expected.count > 4)
                func kept() -> Set<String> {
                    Set((try? FileManager.default.contentsOfDirectory(atPath: inbox)) ?? [])
                }
                _ = await eventually(within: .seconds(60)) { kept() == expected || consumer.ended != nil }
                #expect(kept() == expected, "\(consumer)")
            }
        }

        /// The block of Python in the tutorial.
        private static func script() throws -> String {
            let block = try TutorialPage.text().components(separatedBy: "```python\n").dropFirst().first?
                .components(separatedBy: "```\n")
            return try #require(block?.first, "no block of Python in the tutorial")
        }
    }
}

private enum TutorialPage {
    static let repository = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
        .appending(path: "../../..").standardized

    static func text() throws -> String {
        try String(contentsOf: repository.appending(path: "Sources/Pipeline/README.md"), encoding: .utf8)
    }
}

/// The files that the tutorial shows, as a package beside this repository.
private struct TutorialPackage {
    let directory: TemporaryDirectory
    private let path: String
    private let build: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.file("inbox")
        // Kept, so that only what changed is built again.
        build = TutorialPage.repository.appending(path: ".build/tutorial").path
        // Its name is the package's identity.
        try FileManager.default.createSymbolicLink(
            atPath: directory.file("sluice"), withDestinationPath: TutorialPage.repository.path)
        let page = try TutorialPage.text()
        for name in [
            "inbox/Package.swift", "Sources/Inbox/InboxHandler.swift", "Sources/Inbox/InboxApplication.swift",
            "Sources/inbox-consumer/main.swift", "Tests/InboxTests/InboxTests.swift",
        ] {
            let after = page.components(separatedBy: "`\(name)`").dropFirst().first
            let block = after?.components(separatedBy: "```swift\n").dropFirst().first?
                .components(separatedBy: "```\n").first
            let text = try #require(block, "the tutorial does not show \(name)")
            let file = name.hasPrefix("inbox/") ? String(name.dropFirst(6)) : name
            let folder = URL(filePath: path).appending(path: file).deletingLastPathComponent()
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Data(text.utf8).write(to: URL(filePath: path).appending(path: file))
        }
    }

    var executable: String { build + "/debug/inbox-consumer" }

    func swift(_ arguments: [String]) async throws -> (end: ProcessEnd, process: ChildProcess) {
        let command = ["swift", arguments[0], "--package-path", path, "--scratch-path", build] + arguments.dropFirst()
        return try await ChildProcess.run("swift", command, directory: directory.path, within: .seconds(1500))
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
