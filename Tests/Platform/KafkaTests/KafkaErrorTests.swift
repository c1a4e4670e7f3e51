import Testing

@testable import Kafka

@Suite struct KafkaErrorTests {
    @Test(arguments: [
        KafkaError.Code.transport, .messageTimedOut, .queueFull, .notEnoughReplicas, .notLeader, .requestTimedOut,
        .rebalanceInProgress, .deadlineExceeded, .tooManyInFlight, .brokersUnavailable, .producerReplaced,
        .purgedFromQueue,
    ])
    func `errors that may be transient are retriable`(code: KafkaError.Code) {
        #expect(KafkaError(code, "text").isRetriable)
    }

    @Test(arguments: [
        KafkaError.Code.messageTooLarge, .topicAuthorizationFailed, .unknownTopic, .invalidArgument, .closed, .fatal,
        .invalidConfiguration, .undeclaredTopic, .fenced, .unknownMember, .illegalGeneration, .topicAlreadyExists,
    ])
    func `errors that an operator must fix are not retriable`(code: KafkaError.Code) {
        #expect(!KafkaError(code, "text").isRetriable)
    }

    @Test(arguments: [
        (KafkaError.Code.messageTimedOut, "_MSG_TIMED_OUT"), (.notEnoughReplicas, "NOT_ENOUGH_REPLICAS"),
        (.allBrokersDown, "_ALL_BROKERS_DOWN"), (.fatal, "_FATAL"), (.autoOffsetReset, "_AUTO_OFFSET_RESET"),
        (.purgedInFlight, "_PURGE_INFLIGHT"), (.purgedFromQueue, "_PURGE_QUEUE"), (.fenced, "_FENCED"),
        (.maxPollExceeded, "_MAX_POLL_EXCEEDED"), (.assignmentLost, "_ASSIGNMENT_LOST"), (.state, "_STATE"),
        (.unknownTopicOrPartition, "UNKNOWN_TOPIC_OR_PART"), (.outOfOrderSequence, "OUT_OF_ORDER_SEQUENCE_NUMBER"),
        (.fencedInstance, "FENCED_INSTANCE_ID"), (.illegalGeneration, "ILLEGAL_GENERATION"),
        (.unknownMember, "UNKNOWN_MEMBER_ID"), (.noOffset, "_NO_OFFSET"), (.ssl, "_SSL"), (.resolve, "_RESOLVE"),
        (.deadlineExceeded, "DEADLINE_EXCEEDED"), (.closed, "CLOSED"),
    ])
    func `codes have librdkafka's numbers`(code: KafkaError.Code, name: String) {
        #expect(code.name == name)
    }

    @Test func `an unknown code is preserved`() {
        let error = KafkaError(KafkaError.Code(rawValue: 12_345), "text")
        #expect(error.code.rawValue == 12_345)
        #expect(!error.name.isEmpty)
        #expect(!error.isRetriable)
    }
}
