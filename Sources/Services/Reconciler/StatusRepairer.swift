internal import AppStoreModel
internal import AppStoreServerAPI
internal import Kafka
internal import Primitives
internal import Reconciliation
internal import Records
internal import Telemetry

/// If Apple's signed answer about a subscription differs from the published state, or the published state is marked as
/// needing a status query, publishes the answer as a record in the entitlement topic. sluice-entitlements adds the
/// facts in the answer to the purchase and publishes the resulting state.
struct StatusRepairer: Sendable {
    enum Outcome: Sendable {
        /// Kafka has acknowledged the record.
        case published
        /// The answer is unsigned, is unusable or contains no new facts, or repairs are off.
        case unchanged
        /// The subscription has a later record.
        case outdated
    }

    /// Whether repairs are on: `reconciler.statuses.repair`.
    let isOn: Bool
    let producer: KafkaProducer
    let subscriptions: PublishedSubscriptions
    let index: ReceivedIndex
    let publisher: MissingPublisher
    let clocks: Clocks
    let metrics: ReconcilerMetrics
    let logger: Logger

    /// - Parameter difference: the difference between the answer and the published state, or nil if they agree but the
    ///   state needs a status query.
    /// - Throws: a `KafkaError`; a later run finds the subscription again.
    func repair(
        _ row: PublishedSubscriptions.Row, with answer: StatusAnswer, _ difference: StatusDifference?, _ scope: APIScope
    ) async throws -> Outcome {
        guard isOn, case .signed = answer else { return .unchanged }
        guard let published = try await subscriptions.value(of: row) else { return .outdated }
        let purchase = row.subscription.originalTransactionId
        let contribution: [UInt8]?
        do throws(StatusAnswer.Unusable) {
            contribution = try answer.contribution(to: published)
        } catch {
            logger.warning(
                "Apple's subscription status cannot be used",
                fields(purchase, scope) + [LogField(.error, error.message)])
            return .unchanged
        }
        guard let contribution else { return .unchanged }
        _ = try await producer.send(
            KafkaProducerRecord(
                topic: row.partition.topic, partition: row.partition.partition,
                key: RecordKey.purchaseBytes(scope.bundleId, purchase), value: contribution),
            deadline: .seconds(30))
        metrics.repaired()
        logger.warning(
            "published Apple's signed subscription status",
            fields(purchase, scope) + [LogField(.difference, difference?.kind.rawValue ?? "none")])
        return .published
    }

    /// If repairs are on, quarantines a refused item that Apple returned about a subscription, at most once. The item
    /// came from Apple over a verified connection, so it is kept for examination.
    ///
    /// - Throws: a `KafkaError`, or an error from the state's topic; a later run finds the object again.
    func quarantine(
        _ item: SubscriptionStatuses.RefusedItem, of row: PublishedSubscriptions.Row, _ scope: APIScope
    ) async throws {
        let purchase = row.subscription.originalTransactionId
        metrics.swept(0, refused: 1)
        // The mark does not include the signature, because Apple creates a new signature for each response.
        let mark = NotificationMark(of: "status \(purchase.rawValue) \(item.object.reason)")
        let wanted = ReceivedIndex.Wanted(key: Array(ReceivedNotifications.quarantined(mark).utf8), mark: mark)
        guard isOn, try await index.known([wanted], in: scope.environment).isEmpty else { return }
        try await publisher.quarantine(item.object, item.bytes, scope)
        try await index.remember(quarantined: mark, in: scope.environment, at: clocks.wallMilliseconds())
        metrics.quarantined()
    }

    private func fields(_ purchase: OriginalTransactionId, _ scope: APIScope) -> [LogField] {
        [
            LogField(.bundleId, scope.bundleId.rawValue), LogField(.environment, scope.environment.rawValue),
            LogField(.originalTransactionId, purchase.rawValue),
        ]
    }
}
