internal import AppStoreModel
internal import AppStoreSigning
internal import AppStoreVerification
internal import Cryptography
internal import Foundation
internal import Simulator

/// The whole verification of a body (three JWS with a known chain), and the three signature checks that it cannot do
/// without, by the CPU time of the calling thread.
struct VerificationProbe: Sendable {
    static let bodiesPerRound = 400

    let bodies: [[UInt8]]
    /// Few enough for a processor's cache, where a body is that has just been received.
    private let nearBodies: [[UInt8]]
    private let verifier: NotificationVerifier
    let key: P256PublicKey
    let digest: SHA256Digest
    let signature: [UInt8]
    private let now: Int64

    /// - Parameter now: the verifier's present, in milliseconds since 1970.
    init(bodies: [[UInt8]], pki: TestCertificateAuthority, app: SimulatedApp, at now: Int64) throws {
        self.bodies = bodies
        self.now = now
        nearBodies = Array(bodies.prefix(64))
        verifier = try NotificationVerifier(
            VerifierConfiguration(roots: [pki.root.der], apps: [app.identity], revocation: .off))
        guard let key = P256PublicKey(certificate: pki.leaf) else { throw BenchFailure("no key in the leaf") }
        self.key = key
        digest = SHA256.digest(of: [1, 2, 3])
        signature = try pki.leafKey.es256Signature(digest: digest)
        // Fills the chain cache and proves that every body is accepted.
        for body in bodies { try verify(body) }
    }

    @discardableResult
    private func verify(_ body: [UInt8]) throws -> VerifiedNotification {
        guard case .accepted(let notification) = verifier.verify(body: body, at: now) else {
            throw BenchFailure("the verifier refused a notification of the corpus")
        }
        return notification
    }

    /// All bodies, verified.
    func verified() throws -> [VerifiedNotification] { try bodies.map(verify) }

    /// Microseconds for each body.
    func whole(round: Int, count: Int = bodiesPerRound) throws -> Double {
        let start = Clocks.threadCPU
        for index in 0..<count { try verify(nearBodies[(round * count + index) % nearBodies.count]) }
        return (Clocks.threadCPU - start) / 1000 / Double(count)
    }

    /// Microseconds for three signature checks.
    func threeBare(count: Int) throws -> Double {
        let start = Clocks.threadCPU
        for _ in 0..<3 * count {
            guard case .valid = key.verify(digest: digest, rawSignature: signature) else {
                throw BenchFailure("a good signature was refused")
            }
        }
        return (Clocks.threadCPU - start) / 1000 / Double(count)
    }
}

/// The verification path against bare signature checks, and on two threads against one.
struct VerificationBenchmark {
    let probe: VerificationProbe
    let rounds: Int

    // The two take turns every few milliseconds, so that what else the machine does meets both.
    private static let turnsPerRound = 200
    private static let bodiesPerTurn = 10

    func run(into report: inout BenchReport) throws {
        let bodies = probe.bodies
        let mean = bodies.reduce(0) { $0 + $1.count } / bodies.count
        report.section("verification, known chain, bodies of \(mean) bytes")
        var whole: [Double] = []
        var bare: [Double] = []
        var ratios: [Double] = []
        for turn in 0..<rounds * Self.turnsPerRound {
            let body = try probe.whole(round: turn, count: Self.bodiesPerTurn)
            let three = try probe.threeBare(count: Self.bodiesPerTurn)
            whole.append(body)
            bare.append(three)
            ratios.append(body / three)
        }
        report.add("verification.whole_us", Distribution(whole).median, "us CPU")
        report.add("verification.three_bare_us", Distribution(bare).median, "us CPU for three EVP_PKEY_verify")
        report.add(
            "verification.ratio", Distribution(ratios).median, "x three bare", digits: 3, bar: .atMost(1.13),
            noise: Noise(of: bare))
        try runThreads(into: &report)
    }

    private func runThreads(into report: inout BenchReport) throws {
        var rates: [[Double]] = [[], []]
        var costs: [[Double]] = [[], []]
        for round in 0..<3 * rounds {
            for (index, threads) in [1, 2].enumerated() {
                let start = Clocks.monotonic
                let costsOfThreads = try onThreads(threads) { try probe.whole(round: round + $0) }
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

    /// Runs `work` once on each thread, with the thread's number.
    private func onThreads(_ count: Int, _ work: @escaping @Sendable (Int) throws -> Double) throws -> [Double] {
        let outcomes = Outcomes<Result<Double, any Error>>()
        let ended = DispatchGroup()
        for number in 0..<count {
            ended.enter()
            Thread.detachNewThread {
                outcomes.add(Result { try work(number) })
                ended.leave()
            }
        }
        ended.wait()
        return try outcomes.values.map { try $0.get() }
    }
}
