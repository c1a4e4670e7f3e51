internal import AppStoreModel
internal import Configuration
internal import Kafka
internal import KeyedState
internal import Lifecycle
internal import Records
internal import RefundCases
internal import RefundRules
internal import Time

/// `sluicectl refunds answer`: an operator decides a case before the rules do. The answer is proposed in the topic under
/// the key of the case, where the first of all proposals stands; sluice-refunds sends it.
struct RefundAnswerCommand {
    let refunds: RefundsCommand

    private var configuration: Configuration { refunds.configuration }

    func run(_ id: String, _ console: Console) async throws -> ExitCode {
        try await refunds.withAdmin { admin, kafka in
            let row = try RefundsCommand.one(
                id, in: try await ReadRefunds.read(refunds.topic, of: admin, with: kafka), configuration)
            guard row.refund.answerStatus == .waiting else {
                throw StartupError(
                    "Apple does not wait for this answer: \(row.refund.answerStatus.rawValue)",
                    fix: "List what waits with: sluicectl refunds due")
            }
            guard row.standing == nil else {
                throw StartupError(
                    "an answer stands already: \(row.answer?.outcome ?? "unreadable")",
                    fix: "Look at it with: sluicectl refunds show \(PlainText.printable(id))")
            }
            let answer = try answer(to: row.refund)
            await console.write(line: Array((answer.body ?? "no answer").utf8))
            guard configuration[OperationsSettings.yes] else {
                throw StartupError("nothing was changed", fix: "Repeat it with --yes")
            }
            try await propose(answer, row.refund, kafka)
            let after = try RefundsCommand.one(
                id, in: try await ReadRefunds.read(refunds.topic, of: admin, with: kafka), configuration)
            guard after.standing?.answer == answer else {
                throw StartupError(
                    "another answer was proposed before this one, and stands",
                    fix: "Look at it with: sluicectl refunds show \(PlainText.printable(id))")
            }
            return .ok
        }
    }

    private func answer(to refund: RefundCase) throws(StartupError) -> FrozenAnswer {
        let outcome = configuration[OperationsSettings.refundOutcome]
        let now = AppStoreInstant(clampingMillisecondsSince1970: refunds.clocks.wallMilliseconds())
        guard outcome != .doNotAnswer else {
            return FrozenAnswer(
                decidedAt: now, source: .operator, rule: nil, outcome: outcome.rawValue, reason: RefundReason.rules)
        }
        var facts = RefundFacts(
            environment: refund.environment, bundleId: refund.bundleId, transactionId: refund.transactionId,
            requestedAt: refund.openedAt ?? now, isAdvancedCommerce: refund.transaction?.isAdvancedCommerce ?? false)
        facts.productType = refund.transaction?.type
        facts.inAppOwnershipType = refund.transaction?.inAppOwnershipType
        facts.appAccountToken = refund.transaction?.appAccountToken
        var consumption = ConsumptionFacts()
        consumption.customerConsented = configuration[OperationsSettings.customerConsented]
        consumption.deliveryStatus = configuration[OperationsSettings.deliveryStatus]
        consumption.sampleContentProvided = configuration[OperationsSettings.sampleContentProvided]
        consumption.consumptionPercentage = configuration[OperationsSettings.consumptionPercentage].map(Int64.init)
        do throws(ConsumptionProblem) {
            let body = try ConsumptionAnswer(
                facts,
                RefundDecision(
                    source: .provider, rule: nil, outcome: outcome, consumption: consumption,
                    rulesFingerprint: "operator"))
            return FrozenAnswer(
                decidedAt: now, source: .operator, rule: nil, outcome: outcome.rawValue,
                form: body.form.rawValue, body: String(decoding: body.body, as: UTF8.self),
                notes: body.notes.map(\.rawValue))
        } catch {
            throw StartupError(
                error.message, fix: "Give what is missing, such as --consented and --delivery-status", exitCode: .usage)
        }
    }

    private func propose(_ answer: FrozenAnswer, _ refund: RefundCase, _ kafka: KafkaConfiguration) async throws {
        let producer = try KafkaProducer(kafka, topics: [refunds.topic])
        let record = KafkaProducerRecord(
            topic: refunds.topic, key: Array(RecordKey.transaction(refund.bundleId, refund.transactionId).utf8),
            value: refund.jsonText, headers: [StateProposal.header(answer.json)])
        do {
            _ = try await producer.send(record, deadline: .seconds(30))
        } catch {
            await producer.close(within: .seconds(1))
            throw StartupError("not acknowledged by Kafka: \(error.message)", fix: "Repeat it")
        }
        await producer.close(within: .seconds(5))
    }
}
