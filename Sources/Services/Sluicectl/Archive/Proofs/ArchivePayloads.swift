internal import AppStoreModel
internal import AppStoreVerification
internal import ArchiveKeys
internal import ArchiveLog
internal import CommandLine
internal import Configuration
internal import Cryptography
internal import Kafka
internal import Lifecycle
internal import Records
internal import Synchronization
internal import TransparencyLog

/// Decrypts archived objects and verifies their Apple signatures as of the time of receipt.
///
/// Results are counted by label: `erased` if an archived record from the erasures topic lists the key, or if the
/// subject had been erased before the record arrived; `signed by Apple for <bundle id>`; `not signed` for version 1;
/// `readable` for records that Apple does not sign. A payload that cannot be read for any other reason is a finding;
/// see ``missingLabels``.
final class ArchivePayloads: Sendable {
    private let keys: KeyStore
    private let names: TopicNames
    private let certificates = CertificateDirectory()
    private let erasures = Mutex(ErasedKeys())
    private let roots: [[UInt8]]
    private let apps: [AppIdentity]
    /// The verifiers by app. If apps are configured, there is a single verifier for all of them, under the first app.
    /// Otherwise, there is one for each app that a notification claims to belong to.
    private let verifiers = Mutex<[AppIdentity: NotificationVerifier]>([:])

    init(keys: KeyStore, names: TopicNames, roots: [[UInt8]], apps: [AppIdentity]) {
        self.keys = keys
        self.names = names
        self.roots = roots
        self.apps = apps
    }

    /// The labels of payloads for which a key or certificate is missing.
    static let missingLabels = ["key missing", "key unreadable", "certificate missing"]

    /// Reads the archived copies of Apple's certificates, which are needed to reassemble notifications, and the erasure
    /// records, which list the keys that were destroyed on purpose.
    func readReferences(_ readers: [LogReader]) async throws(ArchiveError) {
        for reader in readers where [names.certificates, names.erasures].contains(reader.names.partition.topic) {
            let size = try await reader.checkpoint()?.checkpoint.size ?? 0
            for index in 0..<TilePath.bundleCount(size: size) {
                let bundle = try await reader.bundle(index, size: size)
                // Skip a missing segment. If it contained certificates, `inspect` reports the notifications that need
                // them. If it contained erasure records, `isComplete` becomes false.
                guard let segment = try? await reader.segment(index, size: size) else {
                    if reader.names.partition.topic == names.erasures { erasures.withLock { $0.isComplete = false } }
                    continue
                }
                for position in 0..<min(bundle.count, segment.objects.count) {
                    guard let leaf = try? ArchiveLeaf(bytes: Array(bundle[position])),
                        let content = try? ArchiveObject.open(
                            Array(segment.bytes[segment.objects[position]]), of: leaf),
                        case .record(let record) = content
                    else { continue }
                    if leaf.position.kind == .erasure {
                        erasures.withLock { $0.add(record.record(of: leaf)) }
                    } else {
                        certificates.take([record.record(of: leaf)])
                    }
                }
            }
        }
    }

    @Sendable func inspect(_ object: InspectedObject) async -> InspectionOutcome {
        guard !object.leaf.isErasedOnArrival else { return InspectionOutcome("erased") }
        var secret: SecretKey?
        if object.leaf.key != nil {
            do throws(ArchiveError) {
                guard let id = try keys.keyId(of: object.leaf) else {
                    return InspectionOutcome("key missing", problem: "its leaf references no key", kind: .incomplete)
                }
                switch try keys.dataKey(id) {
                case .usable(let key): secret = key
                case .destroyed(let upTo):
                    return erasures.withLock { $0.outcome(ofDestroyed: id, isDecided: upTo != nil) }
                case .unknown: return erasures.withLock { $0.outcome(ofUnknown: id) }
                }
            } catch {
                return InspectionOutcome(
                    "key unreadable", problem: "its key cannot be used: \(error.message)", kind: .incomplete)
            }
        }
        do throws(ArchiveError) {
            switch try ArchiveObject.open(object.object, of: object.leaf, key: secret) {
            case .record(let record): return judge(record.record(of: object.leaf), object.leaf)
            case .gap: return InspectionOutcome("gap")
            case .erased: return InspectionOutcome("erased")
            }
        } catch { return InspectionOutcome("unreadable", problem: error.message) }
    }

    private func judge(_ record: KafkaRecord, _ leaf: ArchiveLeaf) -> InspectionOutcome {
        switch leaf.position.kind {
        case .notification: return notification(record, leaf)
        case .quarantine:
            let kept = QuarantineRecord(key: record.key, value: record.value, headers: record.headers)
            return signature(
                on: kept.receivedBytes, isBody: true, receivedAt: kept.receivedAt ?? time(of: leaf))
        case .refund, .deadLetter, .erasure, .certificate, .gap: return InspectionOutcome("readable")
        }
    }

    private func notification(_ record: KafkaRecord, _ leaf: ArchiveLeaf) -> InspectionOutcome {
        let notification: NotificationRecord
        do throws(RecordError) {
            notification = try NotificationRecord(record)
        } catch { return InspectionOutcome("no notification") }
        do throws(RebuildError) {
            let jws = try notification.rebuild { certificates.segment($0) }
            return signature(on: jws, isBody: false, receivedAt: notification.receivedAt ?? time(of: leaf))
        } catch {
            switch error {
            case .unsigned: return InspectionOutcome("not signed")
            case .unknownHeader:
                return InspectionOutcome(
                    "certificate missing", problem: "the archive lacks certificates that the payload references",
                    kind: .incomplete)
            case .malformedProof: return InspectionOutcome("not rebuilt", problem: error.description)
            }
        }
    }

    private func signature(on text: [UInt8], isBody: Bool, receivedAt: AppStoreInstant) -> InspectionOutcome {
        guard let verifier = verifier(for: text) else {
            return InspectionOutcome("not verified", problem: "no verifier can be created for its app")
        }
        let time = receivedAt.millisecondsSince1970
        let verdict = isBody ? verifier.verify(body: text, at: time) : verifier.verify(signedPayload: text, at: time)
        switch verdict {
        case .accepted(let verified):
            let app = verified.envelope.bundleId.value?.rawValue ?? "an app that it does not name"
            return InspectionOutcome("signed by Apple for \(PlainText.printable(app, maximum: 155))")
        case .duplicate: return InspectionOutcome("signed by Apple, a duplicate")
        case .nonconforming: return InspectionOutcome("signed by Apple, nonconforming")
        case .legacy: return InspectionOutcome("not signed")
        case .notForUs(let refusal):
            return InspectionOutcome("signed by Apple for another app", problem: refusal.reason.rawValue)
        case .notApple(let refusal), .retryLater(let refusal):
            return InspectionOutcome(
                "not verified", problem: "Apple's signature was not verified: \(refusal.reason.rawValue)")
        }
    }

    private func verifier(for text: [UInt8]) -> NotificationVerifier? {
        let app = apps.first ?? ClaimedApp.identity(in: text)
        return verifiers.withLock { verifiers in
            if let known = verifiers[app] { return known }
            // Notifications can claim any number of apps, but an archive has few, so only the first 1000 verifiers are
            // kept.
            let made = try? NotificationVerifier(
                VerifierConfiguration(
                    roots: roots, apps: apps.isEmpty ? [app] : apps, revocation: .off,
                    newCertificateChains: NewCertificateChainLimits(perSecond: 100_000, concurrency: 1000)))
            if verifiers.count < 1000 { verifiers[app] = made }
            return made
        }
    }

    private func time(of leaf: ArchiveLeaf) -> AppStoreInstant {
        AppStoreInstant(
            clampingMillisecondsSince1970: leaf.timestampMilliseconds ?? leaf.archivedAtMilliseconds)
    }
}
