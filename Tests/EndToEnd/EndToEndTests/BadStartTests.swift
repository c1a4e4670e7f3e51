import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// A startup error takes one line that names the setting and the fix.
    @Suite struct BadStarts {
        @Test(arguments: BadStart.alone)
        func `an invalid configuration is reported on one clear line`(_ start: BadStart) async throws {
            try await Harness.open { harness in try await check(start, harness, []) }
        }

        /// The cases run concurrently, because each waits ten seconds for a broker.
        @Test func `a missing broker is reported on one clear line`() async throws {
            try await withThrowingTaskGroup { group in
                for start in BadStart.withoutBroker {
                    group.addTask {
                        try await Harness.open { harness in
                            try await check(start, harness, ["--kafka.bootstrap.servers", "127.0.0.1:1"])
                        }
                    }
                }
                try await group.waitForAll()
            }
        }

        @Test(arguments: BadStart.withBroker)
        func `a startup that the broker or the machine does not allow is reported on one clear line`(_ start: BadStart)
            async throws
        {
            try await Harness.open { harness in
                let broker = try await harness.embeddedBroker()
                try await check(start, harness, broker.arguments)
            }
        }

        /// A bare `chroot` has no /proc, from which Swift reads the command line.
        @Test(.enabled(if: getuid() == 0, "needs to hide /proc"), arguments: ["sluicectl", "sluice-ingress"])
        func `without /proc no flag is silently ignored`(_ name: String) async throws {
            try await Harness.open { harness in
                let hidden = "mount -t tmpfs none /proc && exec \(Executable(name).path) version"
                let finished = try await harness.run(["unshare", "-m", "sh", "-c", hidden])
                #expect(finished.end == .exit(78), "\(finished)")
                #expect(finished.errors.contains("\(name): the command line cannot be read: /proc is not mounted"))
            }
        }

        @Test(.enabled(if: ApacheKafka.isAvailable, "\(ApacheKafka.absence)"))
        func `topics of Apache Kafka that could lose records are refused in production`() async throws {
            try await Harness.open { harness in
                let broker = try await harness.apacheKafka()
                try await check(.unsafeTopics, harness, broker.arguments)
            }
        }

        private func check(_ start: BadStart, _ harness: Harness, _ common: [String]) async throws {
            let port = try BusyPort()
            defer { port.close() }
            _ = try harness.write("This is neither a certificate nor a setting.\n", to: "file")
            func filled(_ text: String) -> String {
                text.replacing("BUSY", with: "\(port.number)").replacing("DIR", with: harness.directory)
            }
            let own = start.arguments.map(filled)
            let executable = Executable(
                start.executable, arguments: own + common.withoutFlags(of: own), environment: start.environment)
            let finished = try await harness.run(executable)

            #expect(finished.end == .exit(start.code), "\(finished)")
            let lines = finished.complaints
            #expect(lines.count == 1, "\(finished)")
            for text in start.mentions.map(filled) {
                #expect(lines.first?.contains(text) == true, "\"\(text)\" is not in: \(lines.first ?? "nothing")")
            }
            for sign in ["Fatal error", "Stack dump", "Current stack trace", "0x0000"] {
                #expect(!finished.errors.contains(sign), "\(finished)")
            }
        }
    }
}

/// An invalid way to start an executable. In the texts `BUSY` is a port in use, and `DIR` is the test's directory,
/// which contains `file` with arbitrary content.
struct BadStart: Sendable, CustomTestStringConvertible {
    let what: String
    let executable: String
    var arguments: [String] = []
    var environment: [String: String] = [:]
    let code: Int32
    /// The expected setting and fix in the error.
    let mentions: [String]

    var testDescription: String { "\(executable): \(what)" }

    private static func ingress(
        _ what: String, _ arguments: [String] = [], environment: [String: String] = [:], code: Int32 = 78,
        _ mentions: [String]
    ) -> BadStart {
        BadStart(
            what: what, executable: "sluice-ingress", arguments: arguments,
            environment: ["SLUICE_APPS": "com.example.app:1"].merging(environment) { $1 }, code: code,
            mentions: mentions)
    }

    static let unsafeTopics = ingress(
        "one replica", ["--profile", "production", "--http.port", "0", "--admin.port", "0"],
        ["replication.factor is 1", "single-node"])

    static let alone: [BadStart] = [
        BadStart(
            what: "nothing set", executable: "sluice-ingress", code: 78,
            mentions: ["apps is required", "SLUICE_APPS", "com.example.app:1234567890"]),
        ingress("an app without id", environment: ["SLUICE_APPS": "com.example.app"], ["apps (SLUICE_APPS)"]),
        ingress(
            "an unknown key", environment: ["SLUICE_REVOCATIONS": "off"], ["SLUICE_REVOCATIONS", "SLUICE_REVOCATION?"]),
        ingress(
            "an unknown key below a known one", environment: ["SLUICE_HTTP_PROT": "1"],
            ["SLUICE_HTTP_PROT", "SLUICE_HTTP_PORT"]),
        ingress("no such file of settings", ["--config", "/nonexistent"], ["--config", "/nonexistent"]),
        ingress("a file without settings", ["--config", "DIR/file"], [":1: the line", "key=value"]),
        ingress(
            "a root that is not there", ["--root.certificates", "/nonexistent"], ["root.certificates", "/nonexistent"]),
        ingress(
            "a root that is no certificate", ["--root.certificates", "DIR/file"],
            ["root.certificates", "no certificate"]),
        ingress("a port out of range", ["--http.port", "70000"], ["http.port", "0 to 65535"]),
        ingress("an unknown profile", ["--profile", "test"], ["profile", "production, single-node"]),
        ingress("a reserved property", environment: ["SLUICE_KAFKA_ACKS": "1"], ["kafka.acks", "SLUICE_KAFKA_ACKS"]),
        ingress("an unknown property", environment: ["SLUICE_KAFKA_NONSENSE": "1"], ["kafka.nonsense"]),
        ingress(
            "an unknown flag", ["--revocations", "off"], code: 64, ["--revocations", "Did you mean --revocation?"]),
        BadStart(
            what: "no such file of products", executable: "sluice-entitlements",
            arguments: ["--products", "/nonexistent"], code: 78, mentions: ["products", "/nonexistent"]),
        BadStart(
            what: "a key that is none", executable: "sluice-webhooks",
            arguments: ["--webhooks.url", "https://api.example.com/", "--webhooks.secret.file", "DIR/file"], code: 78,
            mentions: ["webhooks.secret.file", "line 1 is not base64", "openssl rand"]),
        BadStart(
            what: "no partitions", executable: "sluice-dev-broker", arguments: ["--port", "0", "--partitions", "0"],
            code: 78, mentions: ["partitions", "1 to 100"]),
        BadStart(
            what: "a busy port", executable: "sluice-dev-broker", arguments: ["--port", "BUSY"], code: 1,
            mentions: ["port: ", "set another port"]),
        BadStart(
            what: "an address of another machine", executable: "sluice-dev-broker",
            arguments: ["--port", "0", "--host", "192.0.2.1"], code: 1,
            mentions: ["host: ", "192.0.2.1 is not an address of this machine"]),
        BadStart(
            what: "every address", executable: "sluice-dev-broker", arguments: ["--port", "0", "--host", "0.0.0.0"],
            code: 78, mentions: ["host: ", "no client can connect to it", "a name of this machine"]),
        BadStart(
            what: "no URL", executable: "sluice-simulator", arguments: ["post"], code: 64, mentions: ["url", "--url"]),
        BadStart(
            what: "no certificates", executable: "sluice-simulator",
            arguments: ["post", "--url", "http://127.0.0.1:1/", "--pki", "DIR/none"], code: 1,
            mentions: ["DIR/none", "sluice-simulator pki --out"]),
        BadStart(
            what: "an unknown scenario", executable: "sluice-simulator",
            arguments: ["post", "--url", "http://127.0.0.1:1/", "--scenario", "none"], code: 78,
            mentions: ["scenario", "sluice-simulator scenarios"]),
        BadStart(
            what: "an unknown command", executable: "sluicectl", arguments: ["topic"], code: 64, mentions: ["topics"]),
        BadStart(
            what: "no read API", executable: "sluicectl",
            arguments: ["entitlements", "show", "1", "--entitlements.url", "http://127.0.0.1:1"], code: 1,
            mentions: ["entitlements.url", "Start sluice-entitlements"]),
        BadStart(
            what: "no such file", executable: "sluicectl", arguments: ["verify", "/nonexistent"], code: 1,
            mentions: ["/nonexistent"]),
    ]

    static let withoutBroker: [BadStart] = [
        ingress(
            "a name that does not exist",
            ["--kafka.bootstrap.servers", "kafka.invalid:9092", "--http.port", "0", "--admin.port", "0"], code: 1,
            ["kafka.bootstrap.servers", "Failed to resolve", "DNS"]),
        BadStart(
            what: "a name that does not exist", executable: "sluicectl",
            arguments: ["topics", "check", "--kafka.bootstrap.servers", "kafka.invalid:9092"], code: 1,
            mentions: ["kafka.bootstrap.servers", "Failed to resolve", "DNS"]),
        ingress(
            "no broker", ["--http.port", "0", "--admin.port", "0"], code: 1,
            ["kafka.bootstrap.servers", "Connection refused", "Start Kafka"]),
        BadStart(
            what: "no broker", executable: "sluice-entitlements",
            arguments: ["--data.dir", "DIR/data", "--http.port", "0", "--admin.port", "0"], code: 1,
            mentions: ["kafka.bootstrap.servers", "Start Kafka"]),
        BadStart(
            what: "no broker", executable: "sluicectl", arguments: ["topics", "check"], code: 1,
            mentions: ["kafka.bootstrap.servers", "Start Kafka"]),
    ]

    static let withBroker: [BadStart] = [
        ingress(
            "unknown topics", ["--topics.prefix", "e2e.none"], ["topics.prefix", "e2e.none", "sluicectl topics apply"]),
        ingress("the embedded broker in production", ["--profile", "production"], ["profile", "single-node"]),
        ingress("a busy port", ["--http.port", "BUSY", "--admin.port", "0"], code: 1, ["http.port", "free port"]),
        ingress(
            "a busy admin port", ["--admin.port", "BUSY", "--http.port", "0"], code: 1, ["admin.port", "free port"]),
        ingress(
            "an address that is none", ["--http.host", "nowhere", "--http.port", "0", "--admin.port", "0"], code: 1,
            ["http.host", "address of this machine"]),
        BadStart(
            what: "unknown topics", executable: "sluice-entitlements",
            arguments: [
                "--data.dir", "DIR/data", "--topics.prefix", "e2e.none", "--http.port", "0", "--admin.port", "0",
            ],
            code: 78, mentions: ["topics.prefix", "e2e.none", "sluicectl topics apply"]),
        BadStart(
            what: "a busy port", executable: "sluice-entitlements",
            arguments: ["--data.dir", "DIR/data", "--http.port", "BUSY", "--admin.port", "0"], code: 1,
            mentions: ["http.port", "free port"]),
        BadStart(
            what: "a directory that is a file", executable: "sluice-entitlements",
            arguments: ["--data.dir", "DIR/file", "--http.port", "0", "--admin.port", "0"], code: 78,
            mentions: ["data.dir", "directory"]),
    ]
}

/// A port of this machine that is in use.
struct BusyPort {
    let number: UInt16
    private let socket: Int32

    init() throws {
        let listening = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        try #require(listening >= 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listening, $0, length) + listen(listening, 1) + getsockname(listening, $0, &length)
            }
        }
        try #require(code == 0)
        socket = listening
        number = UInt16(bigEndian: address.sin_port)
    }

    func close() { _ = Glibc.close(socket) }
}

extension Finished {
    /// Returns the error lines: level error in a JSON log, and every line that is not JSON.
    fileprivate var complaints: [String] {
        errors.split(separator: "\n").map(String.init).filter { line in
            guard let object = JSON.object(line) else { return true }
            return object.text("level") == "error"
        }
    }
}

extension [String] {
    /// Returns the flags with their values, except those in `others`.
    fileprivate func withoutFlags(of others: [String]) -> [String] {
        stride(from: 0, to: count - count % 2, by: 2).flatMap {
            others.contains(self[$0]) ? [] : [self[$0], self[$0 + 1]]
        }
    }
}
