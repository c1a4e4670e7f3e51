internal import AppStoreModel
internal import AppStoreVerification
internal import ArchiveKeys
internal import ArchiveLog
internal import CommandLine
internal import Configuration
internal import Cryptography
internal import JSON
internal import Kafka
internal import Lifecycle
internal import Records
internal import Synchronization
internal import TransparencyLog

/// Decrypts archived objects and verifies their Apple signatures as of the time of receipt. The certificates of objects
/// from the App Store Server API are checked as of their signedDate.
///
/// Results are counted by label: `erased` if an archived record from the erasures topic lists the key, or if the
/// subject had been erased before the record arrived; `signed by Apple for <bundle id>`; `not signed` for version 1;
/// `refused when received: <reason>` for an object that the reconciler refused; `readable` for records that Apple does
/// not sign. A payload that cannot be read for any other reason is a finding; see ``missingLabels``.
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

    /// The topics whose archived records are evidence about payloads in other logs.
    static func referenceTopics(_ names: TopicNames) -> Set<KafkaTopic> { [names.certificates, names.erasures] }

    /// Reads the archived copies of Apple's certificates, which are needed to reassemble notifications, and the erasure
    /// records, which list the keys that were destroyed on purpose. Each record is compared only with its leaf, so the
    /// logs of ``referenceTopics(_:)`` must be verified completely in the same run.
    func readReferences(_ readers: [LogReader]) async throws(ArchiveError) {
        for reader in readers where Self.referenceTopics(names).contains(reader.names.partition.topic) {
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
            return quarantined(kept, at: (kept.receivedAt ?? time(of: leaf)).millisecondsSince1970)
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
            return signature(
                on: jws, of: notification.origin,
                at: (notification.receivedAt ?? time(of: leaf)).millisecondsSince1970)
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

    private func signature(on jws: [UInt8], of origin: RecordOrigin?, at time: Int64) -> InspectionOutcome {
        guard let verifier = verifier(for: jws) else { return Self.withoutVerifier }
        let verdict = verifier.verify(
            signedPayload: jws, at: time, certificates: origin == .history ? .signature : .present)
        switch verdict {
        case .notApple(let refusal) where origin == .replay && refusal.reason == .certificateTime,
            .retryLater(let refusal) where origin == .replay && refusal.reason == .certificateTime:
            // The record does not state the origin of the notification that was replayed. It may be Apple's history.
            return outcome(verifier.verify(signedPayload: jws, at: time, certificates: .signature))
        default: return outcome(verdict)
        }
    }

    /// Verifies a quarantined object like the process that quarantined it. The objects of the reconciler come from the
    /// App Store Server API: compact JWSs of notifications, and items of subscription statuses. All other objects are
    /// posted bodies.
    private func quarantined(_ kept: QuarantineRecord, at time: Int64) -> InspectionOutcome {
        let text = kept.receivedBytes
        guard kept.source == .history else {
            guard let verifier = verifier(for: text) else { return Self.withoutVerifier }
            // A version 1 body may have more fields than any other.
            let verdict = verifier.verify(body: text, at: time, limits: BodyLimits(legacyEntries: .max))
            if case .notApple(let refusal) = verdict, refusal.reason == .jsonShape,
                kept.reason == QuarantineRecord.legacyProfileReason
            {
                // Without its password, a version 1 body with a malformed `notification_type` is not recognized.
                return InspectionOutcome("not signed")
            }
            return outcome(verdict)
        }
        let stated = Reason(rawValue: kept.reason)
        guard let item = try? JSONDocument.object(text).root,
            let transaction = item["signedTransactionInfo"]?.string.map({ Array($0.utf8) })
        else {
            guard let verifier = verifier(for: text) else { return Self.withoutVerifier }
            return outcome(verifier.verify(signedPayload: text, at: time, certificates: .signature), stated: stated)
        }
        guard let verifier = verifier(for: transaction) else { return Self.withoutVerifier }
        do throws(Refusal) {
            let verified = try verifier.verify(
                signedTransaction: transaction,
                signedRenewalInfo: item["signedRenewalInfo"]?.string.map { Array($0.utf8) }, at: time,
                certificates: .signature)
            return signed(for: verified.bundleId)
        } catch {
            return refused(error, stated: stated)
        }
    }

    /// - Parameter stated: the reason why the reconciler refused the object, according to the record; otherwise nil.
    private func outcome(_ verdict: Verdict, stated: Reason? = nil) -> InspectionOutcome {
        switch verdict {
        case .accepted(let verified): signed(for: verified.envelope.bundleId.value)
        case .duplicate: InspectionOutcome("signed by Apple, a duplicate")
        case .nonconforming: InspectionOutcome("signed by Apple, nonconforming")
        case .legacy: InspectionOutcome("not signed")
        case .notForUs(let refusal), .notApple(let refusal), .retryLater(let refusal):
            refused(refusal, stated: stated)
        }
    }

    private func signed(for app: BundleId?) -> InspectionOutcome {
        let name = app?.rawValue ?? "an app that it does not name"
        return InspectionOutcome("signed by Apple for \(PlainText.printable(name, maximum: 155))")
    }

    /// Returns the outcome for a refused object. The reconciler also quarantines objects that it refuses. Such an
    /// object is a finding only if it fails an earlier group of checks than the record states. The groups are: up to
    /// the signature; validity to audience; profile. Within a group, the failed check depends on the configuration.
    private func refused(_ refusal: Refusal, stated: Reason?) -> InspectionOutcome {
        let groups: [VerificationStep] = [.signature, .audience, .profile]
        let group = groups.first { refusal.step.rawValue <= $0.rawValue } ?? .profile
        if let stated, stated.step.rawValue <= group.rawValue {
            return InspectionOutcome("refused when received: \(stated.rawValue)")
        }
        guard refusal.step != .audience else {
            return InspectionOutcome("signed by Apple for another app", problem: refusal.reason.rawValue)
        }
        return InspectionOutcome(
            "not verified", problem: "Apple's signature was not verified: \(refusal.reason.rawValue)")
    }

    private static let withoutVerifier = InspectionOutcome(
        "not verified", problem: "no verifier can be created for its app")

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
