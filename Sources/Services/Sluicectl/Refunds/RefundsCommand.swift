internal import AppStoreModel
internal import CommandLine
internal import Configuration
internal import FoundationEssentials
internal import JSON
internal import Kafka
internal import Lifecycle
internal import PipelineRuntime
internal import Primitives
internal import Records
internal import RefundRules
internal import Story

/// `sluicectl refunds`: lists cases, answers that are due, and results. Reads the topic to which sluice-refunds
/// publishes, so no service needs to run.
struct RefundsCommand {
    let configuration: Configuration
    let clocks: Clocks
    let timeout: Duration

    /// `refunds.round.gap`, in milliseconds.
    var gap: Int64 { configuration[OperationsSettings.roundGap].clampedMilliseconds }

    var topic: KafkaTopic {
        TopicNames(prefix: configuration[OperationsSettings.topicsPrefix]).refunds(
            configuration[OperationsSettings.environment])
    }

    // MARK: list, due

    func list(_ console: Console) async throws -> ExitCode {
        let status = configuration[OperationsSettings.answerStatus]
        let rows = try await read().cases
            .filter { status == nil || $0.rounds.status == status }
            .sorted { Self.moment($0) > Self.moment($1) }
        await print(
            Array(rows.prefix(configuration[OperationsSettings.refundLimit])), console,
            columns: ["RECEIVED", "STATUS", "ROUND", "OUTCOME", "ANSWER", "RULE", "PRODUCT", "PRICE", "TRANSACTION"]
        ) { row in
            let refund = row.refund
            return [
                refund.newestRequest.map { PlainText.seconds($0.receivedAt) } ?? "-", row.rounds.status.rawValue,
                row.rounds.newest.map { "\($0.number)" } ?? "-", refund.outcome?.rawValue ?? "-",
                row.answer?.outcome ?? "-", row.answer?.rule ?? "-",
                refund.transaction?.productId?.rawValue ?? "-", Self.price(refund),
                "\(refund.bundleId)/\(refund.transactionId)",
            ]
        }
        return .ok
    }

    func due(_ console: Console) async throws -> ExitCode {
        let now = AppStoreInstant(clampingMillisecondsSince1970: clocks.wallMilliseconds())
        let rows = try await read().cases
            .filter { $0.rounds.waiting != nil }
            .sorted { Self.until($0) < Self.until($1) }
        await print(
            Array(rows.prefix(configuration[OperationsSettings.refundLimit])), console,
            columns: ["LEFT", "UNTIL", "ROUND", "FROZEN ANSWER", "WAITS BECAUSE", "DETAIL", "TRANSACTION"]
        ) { row in
            let until = Self.until(row)
            let obstacle = row.obstacle
            return [
                Self.left(now.milliseconds(to: until)), PlainText.seconds(until),
                row.rounds.waiting.map { "\($0.number)" } ?? "-", row.answer?.outcome ?? "-", obstacle?.reason ?? "-",
                obstacle?.message ?? "-", "\(row.refund.bundleId)/\(row.refund.transactionId)",
            ]
        }
        return .ok
    }

    /// Returns the deadline for an answer.
    private static func until(_ row: ReadRefunds.Row) -> AppStoreInstant {
        row.rounds.waiting.map { $0.answerableUntil ?? .earliest } ?? .latest
    }

    private static func moment(_ row: ReadRefunds.Row) -> AppStoreInstant {
        row.refund.newestRequest?.receivedAt ?? row.refund.verdict?.signedDate ?? .earliest
    }

    private static func price(_ refund: RefundCase) -> String {
        guard let price = refund.transaction?.price, let currency = refund.transaction?.currency else { return "-" }
        let (units, rest) = price.quotientAndRemainder(dividingBy: 1_000)
        let cents = rest.magnitude / 10
        return "\(units).\(cents < 10 ? "0" : "")\(cents) \(currency)"
    }

    /// Formats the remaining time as `11h 58m`; negative after the deadline.
    static func left(_ milliseconds: Int64) -> String {
        let minutes = Int64(milliseconds.magnitude / 60_000)
        let sign = milliseconds < 0 ? "-" : ""
        return minutes >= 60 ? "\(sign)\(minutes / 60)h \(minutes % 60)m" : "\(sign)\(minutes)m"
    }

    private func print(
        _ rows: [ReadRefunds.Row], _ console: Console, columns: [String], cells: (ReadRefunds.Row) -> [String]
    ) async {
        let table = [columns] + rows.map { cells($0).map { PlainText.printable($0, maximum: 80) } }
        await console.write(
            configuration, text: rows.isEmpty ? "none\n" : PlainText.table(table),
            lines: rows.map { $0.refund.jsonText(gap: gap) })
    }

    // MARK: show

    func show(_ id: String, _ console: Console) async throws -> ExitCode {
        let row = try Self.one(id, in: try await read(), configuration)
        await console.write(configuration, text: RefundText.text(row), json: row.refund.jsonText(gap: gap))
        return .ok
    }

    /// Returns the refund case for a transaction.
    ///
    /// - Throws: a `StartupError` if there is none, or if several apps have one.
    static func one(
        _ id: String, in refunds: ReadRefunds, _ configuration: Configuration
    ) throws(StartupError) -> ReadRefunds.Row {
        let bundle = configuration[OperationsSettings.app]
        let found = refunds.cases.filter {
            $0.refund.transactionId.rawValue == id && (bundle == nil || $0.refund.bundleId.rawValue == bundle)
        }
        guard let row = found.first else {
            throw StartupError(
                "transaction \(PlainText.printable(id)) has no refund case",
                fix: "List cases with: sluicectl refunds list; for the sandbox, add --environment sandbox")
        }
        guard found.count == 1 else {
            throw StartupError("several apps have a case with this id", fix: "Select one with --app")
        }
        return row
    }

    // MARK: stats

    func stats(_ console: Console) async throws -> ExitCode {
        let statistics = RefundStatistics(
            try await read().cases, by: configuration[OperationsSettings.statisticsBy], in: try period())
        await console.write(configuration, text: statistics.text, json: statistics.json)
        return .ok
    }

    // MARK: try

    func tryRules(_ console: Console) async throws -> ExitCode {
        let path = configuration[OperationsSettings.triedRules]
        let rules = try Self.rules(path)
        let findings = rules.findings(hasService: true, hasPreferences: true)
        for finding in findings { console.complain("\(path): \(finding)") }
        let present = try configuration[OperationsSettings.rulesInForce].map(Self.rules)
        let (refunds, isComplete) = try await tried(console)
        let trial = RefundTrial(rules, against: present, refunds.cases, in: try period())
        await console.write(configuration, text: trial.text, json: trial.json)
        return isComplete ? .ok : .failure
    }

    /// Returns the cases on which rules are tried, and whether every record that should be readable was read.
    private func tried(_ console: Console) async throws -> (ReadRefunds, Bool) {
        guard configuration[OperationsSettings.fromArchive] else { return (try await read(), true) }
        // Reading a key store blocks the thread, so this does not run on the cooperative pool.
        return try await withTaskExecutorPreference(HandlerThreads.shared) {
            let archived = try await ArchivedRefunds(topic, gap: gap, configuration)
            if let note = archived.note { console.complain(note) }
            return (archived.refunds, archived.isComplete)
        }
    }

    private static func rules(_ path: String) throws(StartupError) -> RefundRules {
        guard let bytes = FileManager.default.contents(atPath: path) else {
            throw StartupError("\(path) cannot be read", fix: "Specify a readable rules file", exitCode: .usage)
        }
        do throws(RefundInputError) {
            return try RefundRules(json: Array(bytes), name: path)
        } catch {
            throw StartupError("\(error)", fix: "Correct the file", exitCode: .configuration)
        }
    }

    private func period() throws(StartupError) -> Range<AppStoreInstant> {
        let from = configuration[OperationsSettings.refundsFrom] ?? .earliest
        let to = configuration[OperationsSettings.refundsTo] ?? .latest
        guard from < to else {
            throw StartupError("--to is not after --from", fix: "Set --to to a later time", exitCode: .usage)
        }
        return from..<to
    }

    // MARK: private details

    func read() async throws -> ReadRefunds {
        try await withAdmin { admin, kafka in try await ReadRefunds.read(topic, gap: gap, of: admin, with: kafka) }
    }

    func withAdmin<Result: Sendable>(
        _ body: (KafkaAdmin, KafkaConfiguration) async throws -> Result
    ) async throws -> Result {
        try await Brokers.connected(configuration, timeout, body)
    }
}

extension RefundsCommand {
    init(_ context: CommandContext) {
        self.init(configuration: context.configuration, clocks: context.clocks, timeout: context.timeout)
    }
}
