import Foundation
import HTTPClient
import TestSupport
import Testing

extension EndToEnd {
    /// The database rejects writes for a while. Its reader waits, and no record is skipped or dead-lettered.
    @Suite struct ConsumerSink {
        @Test(.enabled(if: Program.path(of: "python3") != nil, "needs python3"))
        func `a database locked by another process makes the changelog reader wait, and loses nothing`() async throws {
            try await Harness.open { harness in
                let scene = try await Scene(harness, try await harness.embeddedBroker(partitions: 12), 100)
                for seconds in TestScale.choose(short: [1, 8], long: [1, 2, 3, 5, 8, 12, 20, 30]) {
                    try await scene.withhold(for: .seconds(seconds)) {
                        let holder = try harness.start(["python3", "-c", Self.hold, harness.path("entitlements")])
                        try await waitUntil { holder.output.contains("held") }
                        return {
                            holder.signal(SIGTERM)
                            _ = await eventually { holder.ended != nil }
                        }
                    }
                }
                try await scene.check("database held by another process")
            }
        }

        @Test(.enabled("requires permission to mount a tmpfs in a namespace") { await SmallDisk.isAllowed })
        func `a full disk makes the changelog reader wait, and loses nothing`() async throws {
            try await Harness.open { harness in
                let disk = try SmallDisk(harness.path("entitlements"))
                let scene = try await Scene(
                    harness, try await harness.embeddedBroker(partitions: 12), 1000, mayPass: true, under: disk.wrapper)
                for seconds in TestScale.choose(short: [1, 3], long: [1, 2, 3, 5, 8, 12, 20, 30]) {
                    try await scene.withhold(for: .seconds(seconds)) {
                        let process = scene.entitlements.process
                        try disk.fill(process)
                        return { disk.free(process) }
                    }
                }
                let check = try await harness.run([
                    "python3", "-c", Self.check, disk.inside(scene.entitlements.process),
                ])
                #expect(check.output.contains("ok"), "\(check)")
                try await scene.check("disk full")
            }
        }

        private static let hold = """
            import sqlite3, sys, time
            database = sqlite3.connect(sys.argv[1] + "/entitlements.sqlite", timeout=60, isolation_level=None)
            database.execute("BEGIN EXCLUSIVE")
            print("held", flush=True)
            time.sleep(600)
            """

        private static let check = """
            import sqlite3, sys
            database = sqlite3.connect(sys.argv[1] + "/entitlements.sqlite", timeout=60)
            print(database.execute("PRAGMA integrity_check").fetchone()[0])
            """
    }
}

/// A consumer, and the subscriptions sent to it so far.
private final class Scene {
    let entitlements: Entitlements
    private let broker: Broker
    private let client = HTTPClient()
    private let count: Int
    private let mayPass: Bool
    private var written = 0
    private var report: [Duration] = []

    /// - Parameters:
    ///   - count: number of records per database outage.
    ///   - mayPass: whether some writes may still succeed: on a full disk existing files have free space.
    init(
        _ harness: Harness, _ broker: Broker, _ count: Int, mayPass: Bool = false, under wrapper: [String] = []
    ) async throws {
        self.broker = broker
        self.count = count
        self.mayPass = mayPass
        entitlements = try await harness.entitlements(on: broker, under: wrapper)
        let isReady = await eventually(within: .seconds(30)) { await entitlements.isReady(client) }
        try #require(isReady, "\(entitlements.process)")
        try await write()
        try await broker.waitForNoLag(entitlements.process)
    }

    deinit { client.close() }

    private func write() async throws {
        try await broker.write(written..<written + count)
        written += count
    }

    /// Blocks the database, writes records, and unblocks it.
    ///
    /// - Parameter take: blocks the database and returns a function that unblocks it.
    func withhold(for duration: Duration, _ take: () async throws -> () async -> Void) async throws {
        let giveBack = try await take()
        let begun = ContinuousClock.now
        do {
            try await write()
            try await expectWaiting(begun, duration)
        } catch {
            await giveBack()
            throw error
        }
        await giveBack()
        let given = ContinuousClock.now
        try await broker.waitForNoLag(entitlements.process)
        let isCaughtUp = try await eventually {
            guard await entitlements.isReady(client) else { return false }
            return try await entitlements.purchases(client, withHistory: false).count == written
        }
        #expect(isCaughtUp, "\(entitlements.process)")
        report.append(ContinuousClock.now - given)
    }

    /// Checks that records are published and committed without the database, which only the changelog reader writes.
    /// The reader waits, and its lag is a metric. After a failed write the member is not ready and answers nothing,
    /// because it may lack updates of other members.
    private func expectWaiting(_ begun: ContinuousClock.Instant, _ duration: Duration) async throws {
        let isBehind = try await eventually {
            try await entitlements.metric("sluice_state_lag_records{", client) > 0
        }
        #expect(isBehind, "\(entitlements.process)")
        _ = await eventually(within: .seconds(60)) { ContinuousClock.now - begun >= duration }
        if !mayPass { #expect(try await entitlements.metric("sluice_state_lag_records{", client) > 0) }
        let tellsNothingWrong = try await eventually {
            guard await entitlements.isReady(client) else { return true }
            guard mayPass else { return false }
            return try await entitlements.metric("sluice_state_lag_records{", client) == 0
        }
        #expect(tellsNothingWrong, "\(entitlements.process)")
        guard try await entitlements.metric("sluice_state_writable", client) == 0 else { return }
        let known = Subscription(number: 0).originalTransactionId
        #expect(
            try await entitlements.answer(originalTransactionId: known, environment: "Production", with: client) == nil)
    }

    func check(_ fault: String) async throws {
        #expect(try await broker.deadLetters().isEmpty)
        #expect(try await entitlements.metric("sluice_consumer_records_total{outcome=\"dead-lettered\"", client) == 0)
        let keys = (0..<written).map { String(decoding: Subscription(number: $0).key, as: UTF8.self) }
        #expect(try await broker.facts().keys.sorted() == keys.sorted())
        #expect(try await entitlements.purchases(client, withHistory: false).count == written)
        entitlements.process.signal(SIGTERM)
        #expect(try await entitlements.process.end(within: .seconds(40)) == .exit(0))

        var figures = FaultReport("\(fault), embedded broker")
        figures.add("times", report.count)
        figures.add("records", written)
        figures.add("slowest until caught up", report.max())
        try figures.publish()
    }
}

/// A small disk in the mount namespace of the process that writes to it, removed with the process.
private struct SmallDisk {
    private let path: String

    init(_ path: String) throws {
        self.path = path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    private static func command(_ path: String) -> [String] {
        ["unshare", "-Urm", "sh", "-c", #"mount -t tmpfs -o size=64m tmpfs "$0" && exec "$@""#, path]
    }

    static var isAllowed: Bool {
        get async {
            guard Program.path(of: "unshare") != nil, Program.path(of: "python3") != nil else { return false }
            let directory = ProcessCleanup.shared.directory
            let run = try? await ChildProcess.run(
                "unshare", command(directory) + ["true"], directory: directory, within: .seconds(10))
            return run?.end == .exit(0)
        }
    }

    var wrapper: [String] { Self.command(path) }

    /// Returns the directory's path from outside the namespace.
    func inside(_ process: ChildProcess) -> String { "/proc/\(process.id)/root\(path)" }

    private func filler(_ process: ChildProcess) -> String { inside(process) + "/filler" }

    /// Writes until the disk is full.
    func fill(_ process: ChildProcess) throws {
        let descriptor = open(filler(process), O_WRONLY | O_CREAT | O_APPEND, 0o600)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        var size = 1 << 20
        while size > 0 {
            let count = [UInt8](repeating: 0, count: size).withUnsafeBytes {
                write(descriptor, $0.baseAddress, $0.count)
            }
            if count < size { size /= 2 }
        }
        #expect(errno == ENOSPC)
    }

    func free(_ process: ChildProcess) { unlink(filler(process)) }
}
