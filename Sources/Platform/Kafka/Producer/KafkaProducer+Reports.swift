internal import CRdKafka
internal import Primitives
internal import Synchronization

extension KafkaProducer {
    /// Handles the delivery reports of one event under a single lock, and calls completions afterwards. Runs on `home`.
    func deliver(_ event: EventPointer, ofGeneration number: Int) {
        guard event.type == RD_KAFKA_EVENT_DR else { return }
        let answers = state.withLock { state in
            let now = monotonicNow()
            var answers: [Answer] = []
            answers.reserveCapacity(rd_kafka_event_message_count(event.raw))
            while let message = rd_kafka_event_message_next(event.raw) {
                let ticket = PendingSends.Ticket(rawValue: crdkafka_opaque(message))
                let code = message.pointee.err
                let entry = state.pending.remove(ticket)
                if code == RD_KAFKA_RESP_ERR_NO_ERROR {
                    state.breaker.acknowledged()
                } else if code != RD_KAFKA_RESP_ERR__MSG_TIMED_OUT {
                    if code.rawValue > 0 { state.breaker.refused() }
                } else if entry?.waiter != nil {
                    // If the send's deadline had already passed, the timeout was counted then.
                    state.breaker.timedOut(at: now)
                }
                guard let entry, let waiter = entry.waiter else {
                    state.lateReports += 1
                    continue
                }
                let isCurrent = state.generation?.number == number || state.isClosing
                answers.append(
                    Answer(waiter: waiter, outcome: Self.outcome(of: message, topic: entry.topic, isCurrent: isCurrent))
                )
            }
            completeDrainIfEmpty(state)
            return answers
        }
        for answer in answers { answer.waiter.complete(answer.outcome) }
    }

    private struct Answer {
        let waiter: PendingSends.Waiter
        let outcome: Result<KafkaDelivery, KafkaError>
    }

    private static func outcome(
        of message: UnsafePointer<rd_kafka_message_t>, topic: KafkaTopic, isCurrent: Bool
    ) -> Result<KafkaDelivery, KafkaError> {
        let code = message.pointee.err
        if code == RD_KAFKA_RESP_ERR_NO_ERROR {
            return .success(
                KafkaDelivery(
                    topic: topic, partition: KafkaPartition(rawValue: message.pointee.partition),
                    offset: KafkaOffset(rawValue: message.pointee.offset)))
        }
        let persistence: KafkaError.Persistence =
            switch rd_kafka_message_status(message) {
            case RD_KAFKA_MSG_STATUS_NOT_PERSISTED: .no
            case RD_KAFKA_MSG_STATUS_PERSISTED: .yes
            default: .maybe
            }
        if !isCurrent {
            let text = "the producer failed permanently and was replaced"
            return .failure(KafkaError(.producerReplaced, text, persistence: persistence))
        }
        return .failure(KafkaError(code, during: "send to \(topic)", persistence: persistence))
    }

    func completeDrainIfEmpty(_ state: State) {
        if state.isClosing, state.pending.count == 0 { drained.complete() }
    }
}
