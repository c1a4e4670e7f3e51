import Configuration
import Foundation
import Primitives
import Synchronization
import Telemetry
import TestSupport
import Testing

@testable import Entitlements

@Suite struct AccessKeysTests {
    private static let reader = String(repeating: "r", count: 32)
    private static let writer = String(repeating: "w", count: 32)

    private static func list(_ text: String) throws(FileError) -> AccessKeyList {
        try AccessKeyList(lines: Array(text.utf8))
    }

    @Test func `a line contains a name, a permission and a key, and other keys are rejected`() throws {
        let list = try Self.list("# who\n\n  backend\tread  \(Self.reader)\r\nsupport full \(Self.writer)")
        #expect(list.client(of: Array(Self.reader.utf8)) == .init(name: "backend", permission: .read))
        #expect(list.client(of: Array(Self.writer.utf8)) == .init(name: "support", permission: .full))
        for other in ["", "r", String(Self.reader.dropLast()), Self.reader + "r", Self.writer.uppercased()] {
            #expect(list.client(of: Array(other.utf8)) == nil, "\(other)")
        }
    }

    @Test(arguments: [
        ("", "contains no key"), ("# none\n", "contains no key"),
        ("a read", "line 1 must contain a name, a permission and a key"),
        ("\na write \(reader)", "line 2 has no permission (read, story or full)"),
        ("a read short", "line 1 must have a key of 24 to 256"),
        ("a read \(String(repeating: "é", count: 20))", "line 1 must have a key of"),
        ("a read \(reader)\na full \(writer)", "line 2 has a duplicate name"),
        ((0...100).map { "n\($0) read \(reader)" }.joined(separator: "\n"), "contains 101 keys; at most 100 are"),
    ])
    func `the error for an invalid key list names the line and contains no key`(text: String, message: String) throws {
        let problem = #expect(throws: FileError.self) { try Self.list(text) }
        #expect(problem?.message.contains(message) == true, "\(problem?.message ?? "")")
        #expect(problem?.message.contains(Self.reader) == false)
    }

    @Test func `a key with two names has the greater permission`() throws {
        let pairs = [("read", "full"), ("read", "story"), ("story", "full")]
        for text in pairs.flatMap({ less, more in
            [
                "a \(less) \(Self.reader)\nb \(more) \(Self.reader)",
                "b \(more) \(Self.reader)\na \(less) \(Self.reader)",
            ]
        }) {
            #expect(try Self.list(text).client(of: Array(Self.reader.utf8))?.name == "b")
        }
    }

    // MARK: The file

    private final class Clock: Sendable {
        let seconds = Mutex<UInt64>(100)

        var clocks: Clocks {
            Clocks(
                wallMilliseconds: { 0 },
                monotonicNanoseconds: { [self] in seconds.withLock { $0 * 1_000_000_000 } })
        }
    }

    private func keys(
        _ arguments: [String], _ clock: Clock = Clock(), _ log: MemoryLogSink = MemoryLogSink()
    ) throws -> AccessKeys? {
        let logger = Logger(label: "test", level: .info, format: .json, sink: log)
        return try AccessKeys(
            configuration(arguments), clocks: clock.clocks, log: RateLimitedLogger(logger, perSecond: 100))
    }

    @Test func `added and removed keys take effect within a second, without a restart`() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("keys")
        func write(_ text: String) throws { try Data(text.utf8).write(to: URL(fileURLWithPath: path)) }
        try write("a read \(Self.reader)\n")
        let clock = Clock()
        let log = MemoryLogSink()
        let keys = try #require(try keys(["--http.keys.file", path], clock, log))
        #expect(keys.client(in: "Bearer \(Self.reader)")?.permission == .read)
        try write("b full \(Self.writer)\n")
        clock.seconds.withLock { $0 += 1 }
        #expect(keys.client(in: "Bearer \(Self.reader)") == nil)
        #expect(keys.client(in: "bearer  \(Self.writer)")?.permission == .full)
        // A malformed or missing file leaves the keys unchanged and is logged.
        for broken in ["nothing", nil] {
            if let broken { try write(broken) } else { try FileManager.default.removeItem(atPath: path) }
            clock.seconds.withLock { $0 += 1 }
            #expect(keys.client(in: "Bearer \(Self.writer)")?.permission == .full)
        }
        #expect(log.lines.count { $0.contains("keeping the previous keys") } == 2)
        #expect(log.lines.count { $0.contains("keys reloaded") } == 1)
        #expect(!log.lines.contains { $0.contains(Self.writer) })
    }

    @Test(arguments: [nil, "", "Bearer", "Bearer ", "Basic \(reader)", reader, "Bearer x", "Bearer \(reader) x"])
    func `any header without a listed bearer key is rejected`(field: String?) throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("keys")
        try Data("a read \(Self.reader)\n".utf8).write(to: URL(fileURLWithPath: path))
        #expect(try keys(["--http.keys.file", path])?.client(in: field) == nil)
    }

    @Test(arguments: ["127.0.0.1", "127.8.9.10", "::1", "localhost"])
    func `a listener on a loopback address needs no key file`(host: String) throws {
        #expect(try keys(["--http.host", host]) == nil)
    }

    @Test(arguments: ["0.0.0.0", "::", "10.0.0.1", "127.0.0.1.example.com", "127.0.0", "127.1.1.999"])
    func `a listener reachable from other machines does not start without keys`(host: String) throws {
        let error = #expect(throws: ConfigurationError.self) { try keys(["--http.host", host]) }
        #expect(error?.key == "http.keys.file")
        #expect("\(try #require(error))".contains("http.host=\(host)"))
        #expect(throws: ConfigurationError.self) {
            try EntitlementsSettings.check(configuration(["--http.host", host]))
        }
    }
}
