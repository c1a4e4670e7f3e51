internal import AppStoreModel
internal import AppStoreVerification
internal import CommandLine
internal import Configuration
internal import JSON
internal import Kafka
internal import Lifecycle
internal import Primitives
internal import Records

/// `sluicectl quarantine`: lists and releases nonconforming notifications that Apple signed for the configured apps.
struct QuarantineCommand {
    let configuration: Configuration
    let source: SluicectlParts.Verification
    let clocks: Clocks
    let timeout: Duration

    private var names: TopicNames { TopicNames(prefix: configuration[OperationsSettings.topicsPrefix]) }

    // MARK: list

    func list(_ console: Console) async throws -> ExitCode {
        try await withScan { _, scan, _ in
            let rows = RecoveryRows(
                ["POSITION", "RECEIVED", "REASON", "BUNDLE", "ENVIRONMENT", "UUID", "BYTES", "DETAIL"],
                configuration, console)
            try await scan.run(after: configuration[OperationsSettings.after]) { record in
                let kept = Self.kept(record)
                guard filter.matches(Self.subject(kept, record)) else { return true }
                return await rows.add(
                    [
                        "\(RecordPosition(record))", Self.receivedAt(kept, record).map { PlainText.seconds($0) } ?? "-",
                        kept.reason, kept.bundleId?.rawValue ?? "-", kept.environment?.rawValue ?? "-",
                        kept.notificationUUID?.rawValue ?? "-", "\(kept.receivedBytes.count)", kept.detail ?? "-",
                    ], json: Self.json(record, kept))
            }
            return .ok
        }
    }

    private static func json(_ record: KafkaRecord, _ kept: QuarantineRecord) -> JSONObject {
        [
            OutputName.position: .string("\(RecordPosition(record))"),
            OutputName.receivedTime: receivedAt(kept, record).map { .string($0.description) } ?? .null,
            OutputName.reason: .string(kept.reason), OutputName.detail: kept.detail.map { .string($0) } ?? .null,
            OutputName.bundleId: kept.bundleId.map { .string($0.rawValue) } ?? .null,
            OutputName.environment: kept.environment.map { .string($0.rawValue) } ?? .null,
            OutputName.notificationUUID: kept.notificationUUID.map { .string($0.rawValue) } ?? .null,
            OutputName.bytes: .integer(Int64(kept.receivedBytes.count)),
        ]
    }

    // MARK: show

    /// Prints the record and the verifier's current verdict.
    func show(_ position: String, _ console: Console) async throws -> ExitCode {
        let position = try Self.position(position)
        return try await withScan { _, scan, _ in
            let record = try await scan.record(at: position)
            let report = try VerifyCommand(configuration: configuration, source: source, clocks: clocks)
                .report(on: record.value ?? [])
            var object = TappedRecord(record, names: names).json
            object[OutputName.position] = .string("\(position)")
            object[OutputName.verification] = .object(report.json)
            let rows = record.headers.map {
                [PlainText.printable($0.key), PlainText.printable($0.text ?? "(no text)")]
            }
            await console.write(
                configuration,
                text: PlainText.table([["position", "\(position)"]] + rows) + "\n" + report.text, json: object)
            return .ok
        }
    }

    // MARK: release

    func release(_ position: String?, _ interruption: Interruption, _ console: Console) async throws -> ExitCode {
        let position = try position.map { try Self.position($0) }
        let verifier = try verifier()
        return try await withScan { admin, scan, kafka in
            let producer = try KafkaProducer(
                kafka, topics: AppStoreEnvironment.published.map(names.notifications) + [names.certificates])
            let run = ReplayRun(
                configuration: configuration, admin: admin, interruption: interruption, console: console)
            do {
                let exitCode = try await run.run(scan, only: position, through: producer) { record in
                    let kept = Self.kept(record)
                    var item = ReplayItem(
                        position: RecordPosition(record), identity: kept.notificationUUID?.rawValue,
                        subject: Self.subject(kept, record))
                    if filter.matches(item.subject) { item.prepared = prepare(record, verifier) }
                    return item
                }
                await producer.close(within: .seconds(5))
                return exitCode
            } catch {
                await producer.close(within: .seconds(1))
                throw error
            }
        }
    }

    /// Verifies the record again, with this version and the current configuration, and returns the records to produce.
    private func prepare(
        _ record: KafkaRecord, _ verifier: NotificationVerifier
    ) -> Result<[KafkaProducerRecord], ReplayRefusal> {
        let kept = Self.kept(record)
        let now = clocks.wallMilliseconds()
        let receivedAt = Self.receivedAt(kept, record) ?? AppStoreInstant(clampingMillisecondsSince1970: now)
        let at = configuration[OperationsSettings.atReceipt] ? receivedAt.millisecondsSince1970 : now
        // A notification from Apple's history is stored as a compact JWS and may be months old, so its certificates are
        // checked as of its signedDate.
        let verdict =
            kept.source == .history
            ? verifier.verify(signedPayload: kept.receivedBytes, at: at, certificates: .signature)
            : verifier.verify(body: kept.receivedBytes, at: at)
        switch verdict {
        case .accepted(let verified):
            let records = ReleasedRecords.records(of: verified, receivedAt: receivedAt, names: names)
            guard !records.isEmpty else {
                return .failure(ReplayRefusal(reason: "internal", detail: "verified, but the record has no identity"))
            }
            return .success(records)
        case .nonconforming(let still):
            return .failure(ReplayRefusal(reason: still.reason.rawValue, detail: still.detail))
        case .notForUs(let refusal), .notApple(let refusal), .retryLater(let refusal):
            return .failure(ReplayRefusal(reason: refusal.reason.rawValue, detail: refusal.detail))
        case .duplicate: return .failure(ReplayRefusal(reason: "duplicate", detail: "already stored"))
        case .legacy: return .failure(ReplayRefusal(reason: "v1", detail: "version 1 is not signed"))
        }
    }

    private func verifier() throws -> NotificationVerifier {
        let apps = try source.apps(configuration)
        guard !apps.isEmpty else {
            throw StartupError(
                "no apps are configured", setting: "apps",
                fix: "Pass the ingress's configuration: --config sluice.properties", exitCode: .configuration)
        }
        do {
            return try NotificationVerifier(
                VerifierConfiguration(
                    roots: try source.roots(configuration), apps: apps, revocation: .off,
                    // Every quarantined body had a valid signature when it was received, so an attacker cannot flood
                    // this verifier.
                    newCertificateChains: NewCertificateChainLimits(perSecond: 100_000, concurrency: 1000)))
        } catch let error as VerifierSetupError {
            throw StartupError(
                error.message, setting: error.code == .root ? "root.certificates" : "apps", fix: "Correct the setting",
                exitCode: .configuration)
        }
    }

    // MARK: private details

    private var filter: ReplayFilter {
        ReplayFilter(
            from: configuration[ReplaySettings.receivedFrom]?.millisecondsSince1970,
            to: configuration[ReplaySettings.receivedTo]?.millisecondsSince1970,
            type: configuration[TapSettings.type], bundleId: configuration[OperationsSettings.recordApp],
            environment: configuration[ReplaySettings.environment],
            reason: configuration[OperationsSettings.quarantineReason])
    }

    private static func subject(_ kept: QuarantineRecord, _ record: KafkaRecord) -> ReplaySubject {
        ReplaySubject(kept, receivedAt: receivedAt(kept, record))
    }

    private static func kept(_ record: KafkaRecord) -> QuarantineRecord {
        QuarantineRecord(key: record.key, value: record.value, headers: record.headers)
    }

    private static func receivedAt(_ kept: QuarantineRecord, _ record: KafkaRecord) -> AppStoreInstant? {
        kept.receivedAt ?? record.timestampMilliseconds.flatMap { AppStoreInstant(millisecondsSince1970: $0) }
    }

    static func position(_ text: String) throws(StartupError) -> RecordPosition {
        guard let position = RecordPosition(text) else {
            throw StartupError(
                "\"\(PlainText.printable(text))\" is not a position", fix: "Use one printed by list, such as 0-17",
                exitCode: .usage)
        }
        return position
    }

    private func withScan(
        _ body: (KafkaAdmin, TopicScan, KafkaConfiguration) async throws -> ExitCode
    ) async throws -> ExitCode {
        return try await Brokers.connected(configuration, timeout) { admin, kafka in
            return try await body(admin, try await TopicScan(names.quarantine, of: admin, with: kafka), kafka)
        }
    }
}

extension QuarantineCommand {
    init(_ context: CommandContext, _ parts: SluicectlParts) {
        self.init(
            configuration: context.configuration, source: parts.verification, clocks: context.clocks,
            timeout: context.timeout)
    }
}
