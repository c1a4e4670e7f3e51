internal import CommandLine
internal import Configuration
internal import JSON
internal import Kafka
internal import Lifecycle
internal import Records

/// The outcome of replaying one record.
enum ReplayOutcome: Sendable {
    case replayed
    /// Ready to replay; nothing is sent without `--yes`.
    case ready
    /// The record was not replayed, for the given reason.
    case left(reason: String, detail: String)

    /// The value of `status` in the JSON output. These values are a public contract.
    var status: String {
        switch self {
        case .replayed: "replayed"
        case .ready: "ready"
        case .left: "left"
        }
    }
}

/// Replays records one by one at a limited rate. Prints each outcome, then the plan. With `--yes`, prints the progress
/// instead of the plan, including the position after which an interrupted run can resume.
struct ReplayRun {
    let configuration: Configuration
    let admin: KafkaAdmin
    let interruption: Interruption
    let console: Console

    private var isDone: Bool { configuration[OperationsSettings.yes] }
    private var output: OutputFormat { configuration[OperationsSettings.output] }
    private var rate: Int { configuration[OperationsSettings.rate] }

    private final class Counts {
        var read = 0
        var replayed = 0
        var ready = 0
        var left = 0
        var last: RecordPosition?
        /// Whether the run ended before the last record, because of the operator, a failure or closed output.
        var isInterrupted = false
        var plan = ReplayPlan()
    }

    /// - Parameters:
    ///   - position: the only record to replay; nil replays all records after `--after`.
    ///   - item: returns a record's properties and the records to produce for it.
    func run(
        _ scan: TopicScan, only position: RecordPosition?, through producer: KafkaProducer,
        item: (KafkaRecord) -> ReplayItem
    ) async throws -> ExitCode {
        let after = configuration[OperationsSettings.after]
        return try await run(through: producer, of: position == nil ? scan.count(after: after) : 1) { bring in
            if let position {
                _ = try await bring(item(try await scan.record(at: position)))
            } else {
                try await scan.run(after: after) { try await bring(item($0)) }
            }
        }
    }

    /// - Parameters:
    ///   - total: number of records to read; nil if unknown.
    ///   - each: reads the records, and calls the given function with each of them in order, until the function returns
    ///     false.
    func run(
        through producer: KafkaProducer, of total: Int64? = nil,
        each: ((ReplayItem) async throws -> Bool) async throws -> Void
    ) async throws -> ExitCode {
        let counts = Counts()
        let pace = ReplayPace(perSecond: rate)
        do {
            try await each { item in
                guard !interruption.isRequested else {
                    counts.isInterrupted = true
                    return false
                }
                counts.read += 1
                guard let prepared = item.prepared else {
                    counts.last = item.position
                    return true
                }
                let outcome = try await bring(prepared, through: producer, pace)
                count(outcome, item, counts)
                // The record counts even if its outcome cannot be printed, because it may have been sent.
                counts.last = item.position
                guard await print(item, outcome) else {
                    counts.isInterrupted = true
                    return false
                }
                reportProgress(counts, of: total)
                return true
            }
        } catch {
            // Report the records that Kafka acknowledged before the failure; the operator can resume after them.
            counts.isInterrupted = true
            await finish(counts)
            throw error
        }
        await finish(counts)
        guard isDone || counts.ready == 0 else {
            throw StartupError("nothing was changed", fix: "Run the command again with --yes")
        }
        return counts.isInterrupted || counts.left > 0 ? .failure : .ok
    }

    private func count(_ outcome: ReplayOutcome, _ item: ReplayItem, _ counts: Counts) {
        switch outcome {
        case .replayed: counts.replayed += 1
        case .ready: counts.ready += 1
        case .left: counts.left += 1
        }
        switch item.prepared {
        // The last record is the notification, because the header segments that it refers to are produced first.
        case .success(let records): counts.plan.add(item.subject, to: records.last?.topic ?? "-")
        case .failure(let refusal): counts.plan.add(refusal: refusal)
        case nil: break
        }
    }

    /// Number of seconds between two reports at the full rate.
    private static let secondsPerReport = 10

    /// Reports progress after every ten seconds' worth of records at the full rate.
    private func reportProgress(_ counts: Counts, of total: Int64?) {
        guard isDone, let last = counts.last, (counts.replayed + counts.left) % (rate * Self.secondsPerReport) == 0
        else { return }
        let extent = total.map { "\(counts.read) of \($0) records read" } ?? "\(counts.read) records read"
        console.complain("\(counts.replayed) replayed, \(counts.left) left, \(extent); resume with --after \(last)")
    }

    private func bring(
        _ prepared: Result<[KafkaProducerRecord], ReplayRefusal>, through producer: KafkaProducer, _ pace: ReplayPace
    ) async throws -> ReplayOutcome {
        switch prepared {
        case .failure(let refusal): return .left(reason: refusal.reason, detail: refusal.detail)
        case .success(let records):
            guard isDone else { return .ready }
            try await pace.wait()
            for record in records {
                do {
                    _ = try await producer.send(record, deadline: .seconds(30))
                } catch {
                    throw StartupError(
                        "Kafka did not acknowledge the record: \(error.message)",
                        fix:
                            "Run the command again with the last --after printed; consumers ignore duplicates"
                    )
                }
            }
            return .replayed
        }
    }

    private func print(_ item: ReplayItem, _ outcome: ReplayOutcome) async -> Bool {
        let (position, identity) = (item.position, item.identity)
        var reason: String?
        var detail: String?
        if case .left(let code, let text) = outcome { (reason, detail) = (code, text) }
        switch output {
        case .text:
            let why = reason.map { "  \($0)\(detail.map { $0.isEmpty ? "" : ": \($0)" } ?? "")" } ?? ""
            let line = "\(position)  \(outcome.status)  \(identity ?? "-")\(why)"
            return await console.write(PlainText.printable(line, maximum: 400) + "\n")
        case .json:
            let object: JSONObject = [
                OutputName.position: .string(position.description), OutputName.status: .string(outcome.status),
                OutputName.notificationUUID: identity.map { .string($0) } ?? .null,
                OutputName.reason: reason.map { .string($0) } ?? .null,
                OutputName.detail: detail.map { .string($0) } ?? .null,
            ]
            return await console.write(line: JSONValue.object(object).json)
        }
    }

    private func finish(_ counts: Counts) async {
        let reach = counts.ready > 0 ? await ReplayReach.groups(of: counts.plan.topics, admin) : nil
        switch output {
        case .text:
            var parts = ["\(counts.replayed) replayed"]
            if counts.ready > 0 { parts.append("\(counts.ready) ready") }
            parts.append("\(counts.left) left")
            await console.write("\(parts.joined(separator: ", "))\n")
            if let reach { await console.write(counts.plan.text(reach, perSecond: rate)) }
        case .json:
            var object: JSONObject = [
                OutputName.ok: .bool(!counts.isInterrupted && counts.left == 0 && counts.ready == 0),
                OutputName.replayed: .integer(Int64(counts.replayed)), OutputName.ready: .integer(Int64(counts.ready)),
                OutputName.left: .integer(Int64(counts.left)),
                OutputName.last: counts.last.map { .string($0.description) } ?? .null,
            ]
            if let reach { object[OutputName.plan] = .object(counts.plan.json(reach, perSecond: rate)) }
            await console.write(line: JSONValue.object(object).json)
        }
        if counts.isInterrupted, let last = counts.last { console.complain("interrupted; resume with --after \(last)") }
    }
}

/// A record to replay.
struct ReplayItem {
    /// The position after which an interrupted run resumes.
    let position: RecordPosition
    /// The record's name in the output.
    var identity: String?
    /// The properties that the plan counts.
    var subject = ReplaySubject()
    /// The records to produce, or the refusal; nil skips the record silently.
    var prepared: Result<[KafkaProducerRecord], ReplayRefusal>?
}

/// The reason why a record is not replayed.
struct ReplayRefusal: Error {
    let reason: String
    let detail: String
}

/// Limits a run to a number of evenly spaced records per second.
final class ReplayPace {
    private let interval: Duration
    private var next: ContinuousClock.Instant?

    init(perSecond: Int) { interval = .seconds(1) / max(1, perSecond) }

    /// Waits until the next record may be sent.
    func wait() async throws {
        let now = ContinuousClock.now
        if let next, next > now { try await Task.sleep(until: next, clock: .continuous) }
        next = max(next ?? now, now) + interval
    }
}
