import AppStoreModel
import Foundation
import HTTPClient
import Kafka
import Records
import TestSupport
import Testing

extension EndToEnd {
    /// The code in Sources/Pipeline/README.md works as printed.
    @Suite struct Tutorial {
        @Test(
            .enabled(
                "python3 with venv, and PyPI for confluent-kafka and cloudevents, are not here",
                { await PythonEnvironment.shared.value != nil }))
        func `the Python consumer of the tutorial reads the ingress's records`() async throws {
            let python = try #require(await PythonEnvironment.shared.value)
            try await Harness.open { harness in
                let broker = try await harness.embeddedBroker()
                let ingress = try await harness.ingress(on: broker, for: try await harness.simulatedApp())
                let posted = try await harness.post(
                    to: ingress, ["--scenario", "subscription-life", "--accounts", "2"])
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

        /// Builds the runtime again for a separate package, which takes minutes the first time.
        @Test(
            .enabled(
                if: ProcessInfo.processInfo.environment["SLUICE_TEST_TUTORIAL"] != nil,
                "SLUICE_TEST_TUTORIAL is not set: make tutorial"),
            .timeLimit(.minutes(30)))
        func `the Swift package of the tutorial builds, keeps the contract and reads the ingress's records`()
            async throws
        {
            let package = try TutorialPackage()
            for arguments in [["build", "--build-tests"], ["test", "--skip-build"]] {
                let (end, swift) = try await package.swift(arguments)
                #expect(end == .exit(0), "\(swift.output)\(swift)")
                guard end == .exit(0) else { return }
            }
            try await Harness.open { harness in
                let latest = KafkaTopic(rawValue: harness.topics.prefix + ".latest.production")
                let broker = try await harness.embeddedBroker(groups: ["inbox", "latest"], others: [latest])
                let ingress = try await harness.ingress(on: broker, for: try await harness.simulatedApp())
                let posted = try await harness.post(
                    to: ingress, ["--scenario", "subscription-life", "--accounts", "2"])
                #expect(posted.count > 4)
                try await Self.inboxKeeps(posted, of: package, on: broker, harness)
                try await Self.latestKnowsTheLast(of: package, on: broker, harness)
            }
        }

        private static func start(
            _ name: String, of package: TutorialPackage, on broker: Broker, _ harness: Harness, _ settings: [String]
        ) throws -> ChildProcess {
            try harness.start(
                name,
                [
                    package.executable(name + "-consumer"), "--kafka.bootstrap.servers", broker.bootstrapServers,
                    "--profile", "single-node", "--admin.port", "0", "--topics.prefix", broker.topics.prefix,
                ] + settings, [:])
        }

        /// Checks the consumer with an external effect, which writes a file for each notification.
        private static func inboxKeeps(
            _ posted: [JSON.Object], of package: TutorialPackage, on broker: Broker, _ harness: Harness
        ) async throws {
            let directory = package.directory.file("kept")
            let consumer = try start(
                "inbox", of: package, on: broker, harness,
                ["--inbox.directory", directory, "--data.dir", package.directory.file("inbox-data")])
            let expected = Set(
                posted.compactMap { $0.text("notificationUUID").flatMap(UUID.init(uuidString:)) }
                    .map { $0.uuidString + ".json" })
            func kept() -> Set<String> {
                Set((try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? [])
            }
            _ = await eventually(within: .seconds(60)) { kept() == expected || consumer.ended != nil }
            #expect(kept() == expected, "\(consumer)")
            // The package's own counter is exported together with the runtime's.
            let client = HTTPClient()
            defer { client.close() }
            let bytes = try await AdminAddress(consumer).metrics("inbox_bytes_total ", client)
            #expect(bytes.count == 1 && bytes[0].value > 0)
            await consumer.stop()
            #expect(consumer.ended == .exit(0), "\(consumer)")
        }

        /// Checks the stateful consumer: a member that processes records, and one that only answers from the first
        /// one's publications.
        private static func latestKnowsTheLast(
            of package: TutorialPackage, on broker: Broker, _ harness: Harness
        ) async throws {
            // Among notifications signed at the same time the greatest id wins.
            var expected: [String: [String]] = [:]
            for record in try await broker.records(of: broker.notifications(.production)) {
                func text(_ bytes: [UInt8]?) throws -> String { String(decoding: try #require(bytes), as: UTF8.self) }
                let signed = [
                    try text(record.header("ce_time")?.value), try text(record.header("ce_id")?.value),
                ]
                let key = try text(record.key)
                if expected[key, default: []].lexicographicallyPrecedes(signed) { expected[key] = signed }
            }
            #expect(!expected.isEmpty)
            let worker = try start(
                "latest", of: package, on: broker, harness,
                ["--state.role", "worker", "--data.dir", package.directory.file("worker")])
            let reader = try start(
                "latest", of: package, on: broker, harness,
                ["--state.role", "reader", "--latest.port", "0", "--data.dir", package.directory.file("reader")])
            func port() -> Int64? { reader.log.first { $0.message == "api ready" }?.fields.integer("port") }
            _ = await eventually(within: .seconds(60)) { port() != nil || reader.ended != nil }
            let url = "http://127.0.0.1:\(try #require(port(), "\(reader)"))/v1/latest?key="
            let client = HTTPClient()
            defer { client.close() }
            for (key, signed) in expected {
                func answer() async -> String {
                    let response = try? await client.send(HTTPClientRequest(url: url + key))
                    return response.map { String(decoding: $0.body, as: UTF8.self) } ?? "no answer"
                }
                _ = await eventually(within: .seconds(60)) { await answer().contains(signed[1]) || worker.ended != nil }
                #expect(await answer().contains(signed[1]), "\(worker)\(reader)")
            }
            #expect(try await client.send(HTTPClientRequest(url: url + "unknown")).status == 404)
        }

        /// Returns the Python block of the tutorial.
        private static func script() throws -> String {
            let block = try TutorialPage.text().components(separatedBy: "```python\n").dropFirst().first?
                .components(separatedBy: "```\n")
            return try #require(block?.first, "the tutorial has no Python block")
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

/// The files shown in the tutorial, as a package outside this repository.
private struct TutorialPackage {
    let directory: TemporaryDirectory
    private let path: String
    private let build: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.file("inbox")
        // The directory is kept, so that only changes are built again.
        build = TutorialPage.repository.appending(path: ".build/tutorial").path
        // The name is the package's identity.
        try FileManager.default.createSymbolicLink(
            atPath: directory.file("sluice"), withDestinationPath: TutorialPage.repository.path)
        let page = try TutorialPage.text()
        for name in [
            "inbox/Package.swift", "Sources/Inbox/InboxHandler.swift", "Sources/Inbox/InboxApplication.swift",
            "Sources/inbox-consumer/main.swift", "Tests/InboxTests/InboxTests.swift",
            "Sources/Latest/LatestModel.swift", "Sources/Latest/LatestReading.swift",
            "Sources/Latest/LatestApplication.swift", "Sources/Latest/LatestAPI.swift",
            "Sources/latest-consumer/main.swift", "Tests/InboxTests/LatestTests.swift",
            "Sources/Mails/Refund.swift", "Sources/Mails/MailModel.swift", "Sources/Mails/MailBook.swift",
            "Sources/Mails/MailHandler.swift", "Sources/Mails/MailApplication.swift",
            "Tests/InboxTests/MailTests.swift",
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

    func executable(_ name: String) -> String { build + "/debug/" + name }

    func swift(_ arguments: [String]) async throws -> (end: ProcessEnd, process: ChildProcess) {
        let command = ["swift", arguments[0], "--package-path", path, "--scratch-path", build] + arguments.dropFirst()
        return try await ChildProcess.run("swift", command, directory: directory.path, within: .seconds(1500))
    }
}

/// A virtual environment with the packages that the tutorial installs, created once per run.
private enum PythonEnvironment {
    /// The environment's interpreter; nil if the environment cannot be created here. The condition of the test awaits
    /// it.
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
