internal import AppStoreModel
internal import CommandLine
internal import Configuration
internal import FoundationEssentials
internal import Kafka
internal import KeyedState
internal import Lifecycle
internal import Primitives
internal import Records
internal import RefundRules
internal import Story

/// `sluicectl refunds answer`: lets an operator answer a round. The answer is published as a proposal under the case's
/// key. The first proposal for the round wins, and sluice-refunds sends it.
struct RefundAnswerCommand {
    let refunds: RefundsCommand

    private var configuration: Configuration { refunds.configuration }

    private var now: AppStoreInstant {
        AppStoreInstant(clampingMillisecondsSince1970: refunds.clocks.wallMilliseconds())
    }

    /// The contents of a proposal record: the case with the round to answer, and the answer.
    private struct Proposal {
        let refund: RefundCase
        let answer: FrozenAnswer
    }

    func run(_ id: String, _ console: Console) async throws -> ExitCode {
        try await refunds.withAdmin { admin, kafka in
            let row = try await read(id, admin, kafka)
            let proposal = try configuration[OperationsSettings.again] ? again(row, id) : first(row, id)
            let body = proposal.answer.body
            await console.write(
                configuration, text: (body ?? "no answer") + "\n", json: Array((body ?? "null").utf8))
            guard configuration[OperationsSettings.yes] else {
                throw StartupError("nothing was changed", fix: "Run the command again with --yes")
            }
            try await propose(proposal, kafka)
            let after = try await read(id, admin, kafka)
            guard after.rounds.newest.flatMap({ after.frozen(for: $0) }) == proposal.answer else {
                throw StartupError(
                    "a different answer was proposed first and will be sent", fix: "Show it with: \(show(id))")
            }
            return .ok
        }
    }

    private func read(_ id: String, _ admin: KafkaAdmin, _ kafka: KafkaConfiguration) async throws -> ReadRefunds.Row {
        let rows = try await ReadRefunds.read(refunds.topic, gap: refunds.gap, of: admin, with: kafka)
        return try RefundsCommand.one(id, in: rows, configuration)
    }

    private func show(_ id: String) -> String { "sluicectl refunds show \(PlainText.printable(id))" }

    // MARK: Answers by round

    /// Returns the proposal for the round that is waiting for its first answer.
    private func first(_ row: ReadRefunds.Row, _ id: String) throws(StartupError) -> Proposal {
        guard let round = row.rounds.waiting else {
            throw StartupError(
                "Apple is not waiting for an answer to this request: \(row.rounds.status.rawValue)",
                fix:
                    "Pass --again to replace an answer that Apple did not accept, "
                    + "or list the waiting requests: sluicectl refunds due"
            )
        }
        if let frozen = row.frozen(for: round) {
            throw StartupError(
                "this case already has a frozen answer: \(frozen.outcome)",
                fix: "Show it with: \(show(id)). To send the new answer in another round, pass --again")
        }
        return Proposal(
            refund: row.refund, answer: try answer(RefundFacts(row.refund, round), through: round.through))
    }

    /// Returns the proposal for a new round, which the operator opens after the newest one.
    private func again(_ row: ReadRefunds.Row, _ id: String) throws(StartupError) -> Proposal {
        guard let last = row.rounds.newest else {
            throw StartupError(
                "Apple has not requested consumption information for this transaction", fix: "Show it with: \(show(id))"
            )
        }
        guard last.status != .accepted, last.verdict == nil else {
            throw StartupError(
                last.verdict == nil ? "Apple has accepted the answer" : "Apple has decided",
                fix: "Show it with: \(show(id)). A new request from Apple opens a new round")
        }
        let now = now
        var refund = row.refund
        if last.status == .waiting {
            refund.insert(AnswerEnd(.withheld, through: last.through, at: now, reason: RefundReason.replaced))
        }
        refund.insert(
            RefundRequest(
                notificationUUID: NotificationUUID("operator-\(UUID().uuidString.lowercased())"),
                signedDate: last.through.advanced(byMilliseconds: 1), receivedAt: now,
                isSigned: last.requests.contains(where: \.isSigned), isOperators: true))
        guard let round = RefundRounds(refund, gap: refunds.gap).waiting, !round.isTooLate else {
            throw StartupError(
                "the request is older than a week; Apple no longer waits for an answer",
                fix: "Show it with: \(show(id))")
        }
        return Proposal(refund: refund, answer: try answer(RefundFacts(refund, round), through: round.through))
    }

    // MARK: Answer

    private func answer(_ facts: RefundFacts, through: AppStoreInstant) throws(StartupError) -> FrozenAnswer {
        let outcome = configuration[OperationsSettings.refundOutcome]
        var answer = FrozenAnswer(
            through: through, decidedAt: now, source: .operator, rule: nil, outcome: outcome.rawValue)
        guard outcome != .doNotAnswer else {
            answer.reason = ConsumptionError.Code.doNotAnswer.rawValue
            return answer
        }
        var decision = RefundDecision(
            source: .provider, rule: nil, outcome: outcome, consumption: try consumption(), rulesFingerprint: "")
        decision.isConsentRescinded = false
        do throws(ConsumptionError) {
            let body = try ConsumptionAnswer(facts, decision)
            answer.form = body.form.rawValue
            answer.body = String(decoding: body.body, as: UTF8.self)
            answer.notes = body.notes.map(\.rawValue)
            return answer
        } catch {
            throw StartupError(
                error.message,
                fix: "Pass whichever of --consented, --delivery-status and --sample-content are missing",
                exitCode: .usage)
        }
    }

    private func consumption() throws(StartupError) -> ConsumptionFacts {
        var consumption = ConsumptionFacts()
        consumption.customerConsented = configuration[OperationsSettings.customerConsented]
        consumption.deliveryStatus = configuration[OperationsSettings.deliveryStatus]
        consumption.sampleContentProvided = try RefundsCommand.sampleContent(configuration)
        consumption.consumptionPercentage = configuration[OperationsSettings.consumptionPercentage].map(Int64.init)
        return consumption
    }

    private func propose(_ proposal: Proposal, _ kafka: KafkaConfiguration) async throws {
        let refund = proposal.refund
        try await refunds.publish(
            KafkaProducerRecord(
                topic: refunds.topic, key: Array(RecordKey.transaction(refund.bundleId, refund.transactionId).utf8),
                value: refund.jsonText(gap: refunds.gap), headers: [StateProposal.header(proposal.answer.json)]), kafka)
    }
}

extension RefundsCommand {
    /// Returns whether the flags state that sample content was provided, or nil if neither flag is given.
    static func sampleContent(_ configuration: Configuration) throws(StartupError) -> Bool? {
        let (yes, no) = (
            configuration[OperationsSettings.sampleContentProvided], configuration[OperationsSettings.noSampleContent]
        )
        guard !(yes && no) else {
            throw StartupError(
                "--sample-content and --no-sample-content are mutually exclusive", fix: "Pass only one of them",
                exitCode: .usage
            )
        }
        return yes ? true : no ? false : nil
    }

    /// Publishes one record and returns once Kafka has acknowledged it.
    func publish(_ record: KafkaProducerRecord, _ kafka: KafkaConfiguration) async throws {
        let producer = try KafkaProducer(kafka, topics: [record.topic])
        do {
            _ = try await producer.send(record, deadline: .seconds(30))
        } catch {
            await producer.close(within: .seconds(1))
            throw StartupError("Kafka did not acknowledge the record: \(error.message)", fix: "Run the command again")
        }
        await producer.close(within: .seconds(5))
    }
}
