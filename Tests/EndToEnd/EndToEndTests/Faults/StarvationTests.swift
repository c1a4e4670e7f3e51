import Foundation
import HTTPClient
import TestSupport
import Testing

extension EndToEnd {
    /// The machine lacks resources that the ingress needs: descriptors, memory, the correct time, or a reader of its
    /// log.
    @Suite struct Starvation {
        @Test func `without free descriptors no notification is lost, and all are accepted later`() async throws {
            try await Harness.open { harness in
                let broker = try await harness.embeddedBroker(partitions: 12)
                let ingress = try await harness.ingress(on: broker, for: try await harness.simulatedApp())
                let load = try Load(to: ingress.url, pki: harness.path("pki"), perSecond: 20)
                var baseline = 0
                var limit = 0
                var starved = ContinuousClock.now
                var fed = ContinuousClock.now
                let outcomes = try await load.run {
                    try await load.wait(for: 20, ingress.process) { $0.isAcknowledged }
                    baseline = ingress.process.descriptorCount
                    limit = baseline + 20
                    try await ingress.process.limitDescriptors(to: limit)
                    let slow = SlowClients(port: ingress.port, count: 100, interval: .seconds(5))
                    _ = await eventually { ingress.process.descriptorCount >= limit }
                    starved = .now
                    await pass(TestScale.choose(short: .seconds(4), long: .seconds(30)))
                    #expect(slow.opened >= 100)
                    await slow.stop()
                    fed = .now
                    try await load.wait(for: 40, ingress.process) { $0.isAcknowledged && $0.begun > fed }
                }
                let ledger = try await Ledger(outcomes, broker)
                ledger.check(ingress.process)
                let meanwhile = outcomes.filter { $0.begun > starved && $0.begun < fed }
                // Slow clients are evicted for others.
                #expect(try #require(meanwhile.map(\.duration).max()).keeps(.seconds(2)))
                let isBack = await eventually(within: .seconds(20)) {
                    abs(ingress.process.descriptorCount - baseline) <= 5
                }
                #expect(isBack)

                var report = FaultReport("starved of descriptors, embedded broker")
                report.add("descriptors allowed", limit)
                report.add("starved for", fed - starved)
                ledger.add(to: &report)
                report.add("slowest answer meanwhile", meanwhile.map(\.duration).max())
                report.add("descriptors before", baseline)
                report.add("descriptors after", ingress.process.descriptorCount)
                try report.publish()
            }
        }

        @Test func `the ingress answers or exits without memory, and every 200 has its record`() async throws {
            try await Harness.open { harness in
                let broker = try await harness.embeddedBroker(partitions: 12)
                let app = try await harness.simulatedApp()
                var ends: [String: Int] = [:]
                var outcomes: [Load.Outcome] = []
                var port: UInt16 = 0
                for number in 1...TestScale.choose(short: 2, long: 12) {
                    let ingress = try await harness.ingress(on: broker, for: app, port: port)
                    port = ingress.port
                    let load = try Load(to: ingress.url, pki: harness.path("pki"), perSecond: 40, seed: UInt64(number))
                    outcomes += try await load.run {
                        try await load.wait(for: 20, ingress.process) { $0.isAcknowledged }
                        // The limit ranges from the current size to slightly more, so that different allocations fail.
                        let spare = (number - 1) % 4 << 20
                        try await ingress.process.limitData(to: ingress.process.dataBytes + spare)
                        let large = [UInt8](repeating: UInt8(ascii: "a"), count: 250 * 1024)
                        let flood = Flood(port: ingress.port, bodies: [large], connections: 32)
                        let begun = ContinuousClock.now
                        _ = await eventually { ingress.process.ended != nil || .now - begun > .seconds(3) }
                        await flood.stop()
                    }
                    let end = ingress.process.ended
                    #expect(end != .exit(0), "\(ingress.process)")
                    ends[end.map { "\($0)" } ?? "went on", default: 0] += 1
                    ingress.process.signal(SIGKILL)
                    _ = try await ingress.process.end(within: .seconds(5))
                }
                // After a restart it works again.
                let ingress = try await harness.ingress(on: broker, for: app, port: port)
                let load = try Load(to: ingress.url, pki: harness.path("pki"), perSecond: 40, seed: 99)
                outcomes += try await load.run {
                    try await load.wait(for: 20, ingress.process) { $0.isAcknowledged }
                }
                let ledger = try await Ledger(outcomes, broker)
                ledger.check(ingress.process, mayBreak: true, mayRefuse: true)

                var report = FaultReport("starved of memory, embedded broker")
                for (end, count) in ends.sorted(by: { $0.key < $1.key }) { report.add(end, count) }
                ledger.add(to: &report)
                try report.publish()
            }
        }

        @Test(.enabled(if: WallClock.compiler != nil, "\(WallClock.absence)"))
        func `a clock jump causes 503 and unreadiness until the clock has been stable for a minute`() async throws {
            try await Harness.open { harness in try await jump(harness) }
        }

        @Test(
            .enabled(if: WallClock.compiler != nil, "\(WallClock.absence)"),
            arguments: [(-800_000_000, false), (500_000_000, false), (-240, true), (240, true), (3000, true)])
        func `an ingress with an implausible clock never becomes ready`(_ offset: Int, isSane: Bool) async throws {
            try await Harness.open { harness in
                let broker = try await harness.embeddedBroker()
                let time = try await WallClock(harness)
                try time.set(offset: offset)
                let ingress = try await harness.ingress(
                    on: broker, for: try await harness.simulatedApp(), environment: time.environment, untilReady: false)
                let client = HTTPClient()
                defer { client.close() }
                let bodies = try NotificationSupply.bodies(5, pki: harness.path("pki"), seed: 1)
                if isSane {
                    let isReady = await eventually(within: .seconds(20)) { await ingress.isReady(client) }
                    #expect(isReady)
                }
                for body in bodies {
                    #expect(try await ingress.post(body, with: client).status == (isSane ? 200 : 503), "\(offset)")
                }
                #expect(await ingress.isReady(client) == isSane)
                #expect(try await broker.notificationUUIDs().count == (isSane ? bodies.count : 0))
            }
        }

        @Test func `a log pipe without a reader does not delay requests`() async throws {
            try await Harness.open { harness in
                let broker = try await harness.embeddedBroker(partitions: 100)
                let pipe = try LogPipe(harness.path("log"))
                let ingress = try await harness.ingress(
                    on: broker, for: try await harness.simulatedApp(), settings: ["--log.level", "debug"],
                    under: pipe.wrapper, log: { pipe.read() })
                let load = try Load(to: ingress.url, pki: harness.path("pki"), perSecond: 50)
                // The log gets two lines per second about refused requests.
                let noise = Flood(port: ingress.port, bodies: [Array("{}".utf8)], connections: 1, perSecond: 50)
                var filled = ContinuousClock.now
                var end: ProcessEnd?
                var took = Duration.zero
                let outcomes = try await load.run {
                    try await load.wait(for: TestScale.choose(short: 100, long: 500), ingress.process) {
                        $0.isAcknowledged
                    }
                    try await waitUntil { pipe.isFull() }
                    filled = .now
                    try await load.wait(for: TestScale.choose(short: 150, long: 1500), ingress.process) {
                        $0.isAcknowledged && $0.begun > filled
                    }
                    load.stop()
                    await noise.stop()
                    let signalled = ContinuousClock.now
                    ingress.process.signal(SIGTERM)
                    end = try await ingress.process.end(within: .seconds(20))
                    took = .now - signalled
                }
                let ledger = try await Ledger(outcomes, broker)
                ledger.check(ingress.process, mayRefuse: true)
                #expect(end == .exit(0))
                #expect(took.keeps(.seconds(10)))
                let before = outcomes.filter { $0.ended < filled }.map(\.duration).percentile(99)
                let after = outcomes.filter { $0.begun > filled && $0.isAcknowledged }.map(\.duration).percentile(99)
                #expect(try #require(after).keeps(max(.milliseconds(100), try #require(before) * 3)))

                var report = FaultReport("log pipe full, embedded broker")
                ledger.add(to: &report)
                report.add("p99 before", before)
                report.add("p99 while full", after)
                report.add("exit", took)
                try report.publish()
            }
        }
    }
}

extension EndToEnd.Starvation {
    private func jump(_ harness: Harness) async throws {
        let broker = try await harness.embeddedBroker(partitions: 12)
        let time = try await WallClock(harness)
        let ingress = try await harness.ingress(
            on: broker, for: try await harness.simulatedApp(), environment: time.environment)
        let load = try Load(to: ingress.url, pki: harness.path("pki"), perSecond: 20)
        var jumped = ContinuousClock.now
        var trusted = Duration.zero
        let outcomes = try await load.run {
            try await load.wait(for: 20, ingress.process) { $0.isAcknowledged }
            try time.set(offset: 3000)
            jumped = .now
            try await load.wait(for: 40, ingress.process) { $0.answer == .status(503) }
            try await check(ingress, isReady: false)
            if TestScale.isLong {
                // Excludes a request that was in flight when the clock jumped.
                trusted =
                    .seconds(2)
                    + (try await load.waitForAcknowledgement(
                        begunAfter: jumped + .seconds(2), ingress.process, within: .seconds(90)))
                try await check(ingress, isReady: true)
            }
        }
        let ledger = try await Ledger(outcomes, broker)
        ledger.check(ingress.process)
        // The time from the first refusal until the new time may be trusted.
        let noticed = try #require(outcomes.filter { $0.answer == .status(503) }.map(\.ended).min())
        let doubted = outcomes.filter { $0.begun > noticed && $0.begun < jumped + .seconds(50) }
        #expect(doubted.allSatisfy { $0.answer == .status(503) }, "\(ledger.answers)")

        var report = FaultReport("clock 50 minutes ahead at once, embedded broker")
        ledger.add(to: &report)
        if TestScale.isLong { report.add("believed again after", trusted) }
        try report.publish()
    }

    private func check(_ ingress: Ingress, isReady: Bool) async throws {
        let client = HTTPClient()
        defer { client.close() }
        let became = await eventually(within: .seconds(5)) { await ingress.isReady(client) == isReady }
        #expect(became)
    }
}

/// A pipe with capacity for a few lines, used as standard error.
private final class LogPipe {
    private let path: String
    private let descriptor: Int32
    private var text = ""
    private var isRead = true

    init(_ path: String) throws {
        self.path = path
        try #require(mkfifo(path, 0o600) == 0)
        descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        try #require(descriptor >= 0)
        // F_SETPIPE_SZ: the smallest size.
        _ = fcntl(descriptor, 1031, 4096)
    }

    deinit { close(descriptor) }

    /// A command that executes the ingress with the pipe as its standard error.
    var wrapper: [String] { ["/bin/sh", "-c", #"exec "$@" 2>"$0""#, path] }

    /// Returns everything so far. The pipe is not read between calls.
    func read() -> String {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = Foundation.read(descriptor, &bytes, bytes.count)
        if count > 0 { text += String(decoding: bytes[..<count], as: UTF8.self) }
        return text
    }

    /// Whether a writer would block: there is no space for another line.
    func isFull() -> Bool {
        var count: Int32 = 0
        return ioctl(descriptor, UInt(FIONREAD), &count) == 0 && count > 3500
    }
}
