internal import AppStoreModel
internal import Configuration
internal import JSON
internal import Kafka
internal import Lifecycle
internal import Records
internal import RefundCases
internal import Time

/// `sluicectl refunds`: the cases, what is due, and how the answers fared. Read from the topic that sluice-refunds
/// publishes, so that it needs no running service.
struct RefundsCommand {
    let configuration: Configuration
    let clocks: Clocks
    let timeout: Duration

    private var output: OutputFormat { configuration[OperationsSettings.output] }

    var topic: KafkaTopic {
        TopicNames(prefix: configuration[OperationsSettings.topicsPrefix]).refunds(
            configuration[OperationsSettings.environment])
    }

    // MARK: list, due

    func list(_ console: Console) async throws -> ExitCode {
        let status = configuration[OperationsSettings.answerStatus]
        let rows = try await read().cases
            .filter { status == nil || $0.refund.answerStatus == status }
            .sorted { Self.moment($0) > Self.moment($1) }
        await print(
            Array(rows.prefix(configuration[OperationsSettings.refundLimit])), console,
            columns: ["RECEIVED", "STATUS", "OUTCOME", "ANSWER", "RULE", "PRODUCT", "PRICE", "TRANSACTION"]
        ) { row in
            let refund = row.refund
            return [
                refund.newestRequest.map { PlainText.seconds($0.receivedAt) } ?? "-", refund.answerStatus.rawValue,
                refund.outcome?.rawValue ?? "-", row.answer?.outcome ?? "-", row.answer?.rule ?? "-",
                refund.transaction?.productId?.rawValue ?? "-", Self.price(refund),
                "\(refund.bundleId)/\(refund.transactionId)",
            ]
        }
        return .ok
    }

    func due(_ console: Console) async throws -> ExitCode {
        let now = AppStoreInstant(clampingMillisecondsSince1970: clocks.wallMilliseconds())
        let rows = try await read().cases
            .filter { $0.refund.answerStatus == .waiting }
            .sorted { ($0.refund.deadline ?? .latest) < ($1.refund.deadline ?? .latest) }
        await print(
            Array(rows.prefix(configuration[OperationsSettings.refundLimit])), console,
            columns: ["LEFT", "DEADLINE", "FROZEN ANSWER", "LAST FAILURE", "TRANSACTION"]
        ) { row in
            let deadline = row.refund.deadline ?? .latest
            return [
                Self.left(now.milliseconds(to: deadline)), PlainText.seconds(deadline), row.answer?.outcome ?? "-",
                row.refund.failure?.message ?? "-", "\(row.refund.bundleId)/\(row.refund.transactionId)",
            ]
        }
        return .ok
    }

    private static func moment(_ row: ReadRefunds.Row) -> AppStoreInstant {
        row.refund.newestRequest?.receivedAt ?? row.refund.granted?.signedDate ?? row.refund.declined?.signedDate
            ?? row.refund.reversed?.signedDate ?? .earliest
    }

    private static func price(_ refund: RefundCase) -> String {
        guard let price = refund.transaction?.price, let currency = refund.transaction?.currency else { return "-" }
        let (units, rest) = price.quotientAndRemainder(dividingBy: 1_000)
        let cents = rest.magnitude / 10
        return "\(units).\(cents < 10 ? "0" : "")\(cents) \(currency)"
    }

    /// `11h 58m`; negative when the time is over.
    static func left(_ milliseconds: Int64) -> String {
        let minutes = Int64(milliseconds.magnitude / 60_000)
        let sign = milliseconds < 0 ? "-" : ""
        return minutes >= 60 ? "\(sign)\(minutes / 60)h \(minutes % 60)m" : "\(sign)\(minutes)m"
    }

    private func print(
        _ rows: [ReadRefunds.Row], _ console: Console, columns: [String], cells: (ReadRefunds.Row) -> [String]
    ) async {
        switch output {
        case .json: for row in rows { await console.write(line: row.refund.jsonText) }
        case .text:
            guard !rows.isEmpty else {
                await console.write("none\n")
                return
            }
            await console.write(
                PlainText.table([columns] + rows.map { cells($0).map { PlainText.printable($0, maximum: 80) } }))
        }
    }

    // MARK: show

    func show(_ id: String, _ console: Console) async throws -> ExitCode {
        let row = try Self.one(id, in: try await read(), configuration)
        switch output {
        case .json: await console.write(line: row.refund.jsonText)
        case .text: await console.write(RefundText.text(row))
        }
        return .ok
    }

    /// The case of a transaction.
    ///
    /// - Throws: a `StartupError` when there is none, or several apps have one.
    static func one(
        _ id: String, in refunds: ReadRefunds, _ configuration: Configuration
    ) throws(StartupError) -> ReadRefunds.Row {
        let bundle = configuration[OperationsSettings.bundle]
        let found = refunds.cases.filter {
            $0.refund.transactionId.rawValue == id && (bundle == nil || $0.refund.bundleId.rawValue == bundle)
        }
        guard let row = found.first else {
            throw StartupError(
                "no refund case of transaction \(PlainText.printable(id))",
                fix: "List them with: sluicectl refunds list, also with --environment sandbox")
        }
        guard found.count == 1 else {
            throw StartupError("several apps have a case with this id", fix: "Name one with --bundle")
        }
        return row
    }

    // MARK: stats

    func stats(_ console: Console) async throws -> ExitCode {
        let statistics = RefundStatistics(try await read().cases)
        switch output {
        case .json: await console.write(line: statistics.json)
        case .text: await console.write(statistics.text)
        }
        return .ok
    }

    // MARK: parts

    private func read() async throws -> ReadRefunds {
        try await withAdmin { admin, kafka in try await ReadRefunds.read(topic, of: admin, with: kafka) }
    }

    func withAdmin<Result: Sendable>(
        _ body: (KafkaAdmin, KafkaConfiguration) async throws -> Result
    ) async throws -> Result {
        let brokers = try Brokers(configuration, timeout: timeout)
        return try await brokers.admin().closing { admin in
            try await body(admin, try brokers.readerConfiguration(isEmbedded: try await brokers.isEmbedded(admin)))
        }
    }
}
