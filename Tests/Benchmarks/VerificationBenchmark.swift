internal import AppStoreModel
internal import AppStoreSigning
internal import AppStoreVerification
internal import Cryptography
internal import Foundation
internal import Simulator

/// Measures, in CPU time of the calling thread, the complete verification of a body (three JWS with a known chain) and
/// the three signature checks that are the minimum.
struct VerificationProbe: Sendable {
    static let bodiesPerRound = 400

    let bodies: [[UInt8]]
    /// A set of bodies that fits in the cache of the processor, because a body that was just received is also in the
    /// cache.
    private let nearBodies: [[UInt8]]
    private let verifier: NotificationVerifier
    let key: P256PublicKey
    let digest: SHA256Digest
    let signature: [UInt8]
    private let now: Int64

    /// - Parameters:
    ///   - now: the current time for the verifier, in milliseconds since 1970.
    ///   - usesTables: whether signatures are verified with a precomputed key table. If so, the table exists when the
    ///     initializer returns.
    init(
        bodies: [[UInt8]], pki: TestCertificateAuthority, app: SimulatedApp, at now: Int64, usesTables: Bool = false
    ) throws {
        self.bodies = bodies
        self.now = now
        nearBodies = Array(bodies.prefix(64))
        var configuration = VerifierConfiguration(roots: [pki.root.der], apps: [app.identity], revocation: .off)
        configuration.tables.isOn = usesTables
        verifier = try NotificationVerifier(configuration)
        guard let key = P256PublicKey(certificate: pki.leaf) else { throw BenchFailure("no key in the leaf") }
        self.key = key
        digest = SHA256.digest(of: [1, 2, 3])
        signature = try pki.leafKey.es256Signature(digest: digest)
        // Fills the chain cache, and checks that every body is accepted.
        for body in bodies { try verify(body) }
        if usesTables { try waitForTable() }
    }

    /// Waits for the key table, which is created on a separate thread.
    private func waitForTable() throws {
        let deadline = Clocks.monotonic + 10e9
        while verifier.tableStatus.tables == 0 {
            guard Clocks.monotonic < deadline, verifier.tableStatus.faults == 0 else {
                throw BenchFailure("no key table: not supported by this libcrypto, or its self-test failed")
            }
            Thread.sleep(forTimeInterval: 0.01)
        }
    }

    @discardableResult
    private func verify(_ body: [UInt8]) throws -> VerifiedNotification {
        guard case .accepted(let notification) = verifier.verify(body: body, at: now) else {
            throw BenchFailure("the verifier rejected a notification of the corpus")
        }
        return notification
    }

    /// Verifies all bodies.
    func verified() throws -> [VerifiedNotification] { try bodies.map(verify) }

    /// Returns the microseconds per body.
    func whole(round: Int, count: Int = bodiesPerRound) throws -> Double {
        let start = Clocks.threadCPU
        for index in 0..<count { try verify(nearBodies[(round * count + index) % nearBodies.count]) }
        return (Clocks.threadCPU - start) / 1000 / Double(count)
    }

    /// Returns the microseconds per body for each of several concurrent threads.
    func whole(round: Int, count: Int = bodiesPerRound, threads: Int) throws -> [Double] {
        let outcomes = Outcomes<Result<Double, any Error>>()
        let ended = DispatchGroup()
        for number in 0..<threads {
            ended.enter()
            Thread.detachNewThread {
                outcomes.add(Result { try whole(round: round + number, count: count) })
                ended.leave()
            }
        }
        ended.wait()
        return try outcomes.values.map { try $0.get() }
    }

    /// Returns the microseconds for three signature checks.
    func threeBare(count: Int) throws -> Double {
        let start = Clocks.threadCPU
        for _ in 0..<3 * count {
            guard case .valid = key.verify(digest: digest, rawSignature: signature) else {
                throw BenchFailure("a valid signature was rejected")
            }
        }
        return (Clocks.threadCPU - start) / 1000 / Double(count)
    }
}

/// Compares verification with bare signature checks, and two threads with one.
struct VerificationBenchmark {
    let probes: Probes
    let rounds: Int

    // All measurements alternate every few milliseconds, so that other activity on the machine affects them equally.
    private static let turnsPerRound = 200
    private static let bodiesPerTurn = 10

    func run(into report: inout BenchReport) throws {
        let bodies = probes.evp.bodies
        let mean = bodies.reduce(0) { $0 + $1.count } / bodies.count
        report.section("verification, known chain, bodies of \(mean) bytes")
        var bare: [Double] = []
        var evp: (costs: [Double], ratios: [Double]) = ([], [])
        var tables = evp
        for turn in 0..<rounds * Self.turnsPerRound {
            let body = try probes.evp.whole(round: turn, count: Self.bodiesPerTurn)
            let three = try probes.evp.threeBare(count: Self.bodiesPerTurn)
            bare.append(three)
            evp.costs.append(body)
            evp.ratios.append(body / three)
            guard let probe = probes.tables else { continue }
            let tabled = try probe.whole(round: turn, count: Self.bodiesPerTurn)
            tables.costs.append(tabled)
            tables.ratios.append(3 * tabled / three)
        }
        let noise = Noise(of: bare)
        report.add("verification.three_bare_us", Distribution(bare).median, "us CPU for three EVP_PKEY_verify")
        report.add("verification.whole_us", Distribution(evp.costs).median, "us CPU")
        report.add(
            "verification.ratio", Distribution(evp.ratios).median, "x three bare", digits: 3, bar: .atMost(1.13),
            noise: noise)
        if let reason = probes.whyNoTables {
            report.skip("verification.tables", because: reason)
        } else {
            report.add("verification.tables.whole_us", Distribution(tables.costs).median, "us CPU with tables")
            report.add(
                "verification.tables.bare", Distribution(tables.ratios).median, "bare verifications each", digits: 3,
                bar: .atMost(2.2), noise: noise)
        }
        try runThreads(probes.evp, into: &report)
    }

    private func runThreads(_ probe: VerificationProbe, into report: inout BenchReport) throws {
        var rates: [[Double]] = [[], []]
        var costs: [[Double]] = [[], []]
        for round in 0..<3 * rounds {
            for (index, threads) in [1, 2].enumerated() {
                let start = Clocks.monotonic
                let costsOfThreads = try probe.whole(round: round, threads: threads)
                let seconds = (Clocks.monotonic - start) / 1e9
                rates[index].append(Double(threads * VerificationProbe.bodiesPerRound) / seconds)
                costs[index] += costsOfThreads
            }
        }
        for (index, threads) in [1, 2].enumerated() {
            let name = "verification.threads_\(threads)"
            report.add("\(name).per_second", Distribution(rates[index]).median, "notifications/s", digits: 0)
            report.add("\(name).cpu_us", Distribution(costs[index]).median, "us CPU each")
        }
    }
}
