internal import AppStoreModel
internal import AppStoreSigning
internal import AppStoreVerification
internal import Cryptography
internal import Foundation
internal import Kafka
internal import Primitives
internal import Records
internal import Simulator

/// Measures the size of a notification in Kafka, in bytes of key, value and headers.
struct RecordSizeBenchmark {
    let pki: TestCertificateAuthority
    let app: SimulatedApp
    let now: Int64

    private static let atMost = BenchReport.Bar.atMost(3584)

    func run(into report: inout BenchReport) throws {
        report.section("records in Kafka, bytes of key, value and headers")
        let corpus = try NotificationCorpus(count: 500, seed: 2, pki: pki, app: app, endingAt: now)
        let verifier = try NotificationVerifier(
            VerifierConfiguration(roots: [pki.root.der], apps: [app.identity], revocation: .off))
        add("simulated", try corpus.notifications.map { try record(of: $0.body, by: verifier, at: now) }, &report)
        guard let folder = AppleSamples.folder else {
            return report.skip("record.apple", because: "set SLUICE_TEST_VECTORS to the App Store test vectors")
        }
        add("apple", try AppleSamples.bodies(in: folder).map(appleRecord), &report)
    }

    private func add(_ name: String, _ records: [(received: Int, produced: Int)], _ report: inout BenchReport) {
        let produced = Distribution(records.map { Double($0.produced) })
        report.add("record.\(name).received", Distribution(records.map { Double($0.received) }).median, "B of body")
        report.add("record.\(name).min", produced.percentile(0), "B", digits: 0)
        report.add("record.\(name).median", produced.median, "B", digits: 0, bar: Self.atMost)
        report.add("record.\(name).max", produced.percentile(1), "B", digits: 0, bar: Self.atMost)
    }

    private func appleRecord(_ body: [UInt8]) throws -> (received: Int, produced: Int) {
        let jws = body.split(separator: UInt8(ascii: "\""))[3].split(separator: UInt8(ascii: "."))
        let payload = try NotificationPayload(json: try Base64URL.decode(Array(jws[1])))
        guard let data = payload.data, let bundleId = data.bundleId, let environment = data.environment,
            let signedDate = payload.signedDate
        else { throw BenchFailure("a notification that Apple signed has no data") }
        let apple = AppIdentity(
            bundleId: bundleId, appAppleId: data.appAppleId ?? AppAppleId(1), environments: [environment])
        let verifier = try NotificationVerifier(VerifierConfiguration(apps: [apple], revocation: .off))
        return try record(of: body, by: verifier, at: signedDate.millisecondsSince1970)
    }

    private func record(
        of body: [UInt8], by verifier: NotificationVerifier, at now: Int64
    ) throws -> (received: Int, produced: Int) {
        guard case .accepted(let notification) = verifier.verify(body: body, at: now),
            let record = KafkaProducerRecord(notification, to: "t", receivedAt: now)
        else { throw BenchFailure("a notification was not accepted") }
        let headers = record.headers.reduce(0) { $0 + $1.key.utf8.count + ($1.value?.count ?? 0) }
        return (body.count, (record.key?.count ?? 0) + (record.value?.count ?? 0) + headers)
    }
}

/// Captured Apple samples, if the test vectors are available.
private enum AppleSamples {
    /// The directory in `SLUICE_TEST_VECTORS`, or `shared/vectors` in a parent of the current directory.
    static var folder: URL? {
        let named = ProcessInfo.processInfo.environment["SLUICE_TEST_VECTORS"].map { URL(fileURLWithPath: $0) }
        var candidates = named.map { [$0] } ?? []
        if named == nil {
            var above = URL(fileURLWithPath: FileManager.default.currentDirectoryPath)
            while above.path != "/" {
                candidates.append(above.appendingPathComponent("shared/vectors"))
                above.deleteLastPathComponent()
            }
        }
        return candidates.map { $0.appendingPathComponent("genuine") }.first {
            FileManager.default.fileExists(atPath: $0.appendingPathComponent("cases.json").path)
        }
    }

    static func bodies(in folder: URL) throws -> [[UInt8]] {
        try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "jws" }
            .map { file in
                let jws = String(decoding: try Data(contentsOf: file), as: UTF8.self)
                return Array(#"{"signedPayload":"\#(jws.trimmingCharacters(in: .whitespacesAndNewlines))"}"#.utf8)
            }
    }
}

extension KafkaProducerRecord {
    /// The record as the ingress builds it.
    init?(_ verified: VerifiedNotification, to topic: KafkaTopic, receivedAt now: Int64) {
        let parts = SignedParts(
            signedPayload: verified.signedText, notification: verified.notification, envelope: verified.envelope,
            transaction: verified.transaction, renewalInfo: verified.renewalInfo,
            appTransaction: verified.appTransaction)
        guard let parts,
            let proof = parts.proof(
                parts.headers.map { HeaderReference(rawValue: SHA256.digest(of: Array($0)).hex) }),
            let identity = RecordIdentity(
                verified.envelope, transaction: verified.transactionEnvelope,
                renewalInfo: verified.renewalInfoEnvelope, appTransaction: verified.appTransactionEnvelope)
        else { return nil }
        self.init(
            identity, to: topic,
            content: RecordContent(
                notification: verified.notification, nestedJWSTexts: verified.envelope.nestedJWSTexts,
                transaction: verified.transaction, renewalInfo: verified.renewalInfo,
                appTransaction: verified.appTransaction, evidence: .proof(proof)),
            receivedAt: AppStoreInstant(clampingMillisecondsSince1970: now))
    }
}
