internal import AppStoreModel
internal import Kafka
internal import KeyedState
internal import PipelineRuntime
internal import Primitives
internal import Records
internal import RefundRules

/// Merges refund data from notifications into refund cases.
enum RefundsHandler {
    /// - Parameter ignored: the apps whose refunds are handled elsewhere.
    static func handler(
        of state: KeyedState<RefundsModel>, topics: TopicNames, ignored: Set<BundleId>, metrics: RefundsMetrics,
        clocks: Clocks, merged: @escaping @Sendable () -> Void
    ) -> KeyedStateHandler<RefundsModel> {
        let environments = TopicNames.environments(of: topics.notifications)
        return KeyedStateHandler(state) { record in
            let now = AppStoreInstant(clampingMillisecondsSince1970: clocks.wallMilliseconds())
            let reading = reading(record, environments, now)
            guard case .state(let refund) = reading else { return reading }
            guard !ignored.contains(refund.bundleId) else {
                return .verdict(.skip(HandlerReason(code: RefundsReason.switchedOff)))
            }
            if !refund.requests.isEmpty { metrics.requested(refund.environment) }
            return reading
        } merged: { _ in
            merged()
        }
    }

    static func reading(
        _ record: KafkaRecord, _ environments: [KafkaTopic: AppStoreEnvironment], _ now: AppStoreInstant
    ) -> StateReading<RefundCase> {
        guard let environment = environments[record.topic] else {
            // Programming error: the pipeline reads a topic unknown to this handler. Dead-letter this record instead of
            // crashing.
            return .verdict(.deadLetter(HandlerReason(code: RefundsReason.unknownTopic)))
        }
        let parsed: NotificationRecord
        do {
            parsed = try NotificationRecord(record)
        } catch {
            return error.code == .nullValue
                ? .verdict(.skip(HandlerReason(code: RefundsReason.nullValue)))
                : .verdict(.deadLetter(HandlerReason(code: error.code.rawValue, detail: error.description)))
        }
        let reading = RefundReading(
            parsed, environment: environment, timestamp: record.timestampMilliseconds ?? 0, now: now)
        switch reading {
        case .refund(let refund): return .state(refund)
        case .irrelevant: return .verdict(.skip(HandlerReason(code: RefundsReason.noRefund)))
        case .unusable(let code, let detail):
            return .verdict(.deadLetter(HandlerReason(code: code, detail: detail)))
        }
    }
}
