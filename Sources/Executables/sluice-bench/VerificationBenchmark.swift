internal import AppStoreModel
internal import AppStoreSigning
internal import AppStoreVerification
internal import Cryptography
internal import Simulator

/// The whole verification of a body (three JWS with a known chain) against three bare signature checks, in alternating
/// rounds of one thread, by its CPU time.
struct VerificationBenchmark {
    let corpus: NotificationCorpus
    let pki: ThrowawayPKI
    let app: SimulatedApp
    let rounds: Int

    private static let bodiesPerRound = 400

    struct Failure: Error {
        let message: String
    }

    func run(at now: Int64, into report: inout BenchReport) throws {
        let verifier = try NotificationVerifier(
            VerifierConfiguration(roots: [pki.root.der], apps: [app.identity], revocation: .off))
        guard let key = P256PublicKey(certificate: pki.leaf) else { throw Failure(message: "no key in the leaf") }
        let bodies = corpus.notifications.map(\.body)
        let digest = SHA256.digest(of: [1, 2, 3])
        let signature = try pki.leafKey.es256Signature(digest: digest)
        // Fills the chain cache and proves that every body is accepted.
        for body in bodies {
            guard case .accepted = verifier.verify(body: body, at: now) else {
                throw Failure(message: "the verifier refused a notification of the corpus")
            }
        }
        var whole: [Double] = []
        var bare: [Double] = []
        var ratios: [Double] = []
        var accepted = 0
        for round in 0..<rounds {
            let start = threadCPUNanoseconds()
            for index in 0..<Self.bodiesPerRound {
                let body = bodies[(round * Self.bodiesPerRound + index) % bodies.count]
                if case .accepted = verifier.verify(body: body, at: now) { accepted += 1 }
            }
            let middle = threadCPUNanoseconds()
            for _ in 0..<(3 * Self.bodiesPerRound) {
                guard case .valid = key.verify(digest: digest, rawSignature: signature) else {
                    throw Failure(message: "a good signature was refused")
                }
            }
            let end = threadCPUNanoseconds()
            let perBody = (middle - start) / Double(Self.bodiesPerRound)
            let perThree = (end - middle) / Double(Self.bodiesPerRound)
            whole.append(perBody / 1000)
            bare.append(perThree / 1000)
            ratios.append(perBody / perThree)
        }
        guard accepted == rounds * Self.bodiesPerRound else { throw Failure(message: "a verdict changed") }
        let mean = Double(bodies.reduce(0) { $0 + $1.count }) / Double(bodies.count)
        report.section("verification, one thread, known chain, bodies of \(Int(mean)) bytes")
        report.add("verification.whole_us", Distribution(whole).median, "us CPU")
        report.add("verification.three_bare_us", Distribution(bare).median, "us CPU for three EVP_PKEY_verify")
        report.add("verification.ratio", Distribution(ratios).median, "x three bare", digits: 3)
        report.add("verification.per_second_and_core", 1e6 / Distribution(whole).median, "notifications/s", digits: 0)
    }
}
