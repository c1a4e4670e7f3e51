// Webhooks: the content of deliveries, the distinction between faulty records and faulty receivers, and the handling of
// poison and damaged records.

private let webhooks = "Services/Webhooks/"
private let failures = MutatedFile(
    .webhooks, "failures", webhooks + "RecordFailures.swift",
    suites: "RecordFailuresTests|KeptFailuresTests|WebhooksTests.HandlerTests")
private let failuresFile = MutatedFile(
    .webhooks, "failures", webhooks + "FailuresFile.swift", suites: "KeptFailuresTests")
private let handler = MutatedFile(
    .webhooks, "failures", webhooks + "WebhooksHandler.swift", suites: "WebhooksTests.HandlerTests")
private let statuses = MutatedFile(
    .webhooks, "failures", webhooks + "ReceiverAnswer.swift", suites: "ReceiverAnswerTests")
private let acceptedStates = MutatedFile(
    .webhooks, "content", webhooks + "AcceptedStates.swift", suites: "AcceptedStatesTests")
private let waits = MutatedFile(
    .webhooks, "content", webhooks + "HeaderWaits.swift", suites: "HeaderWaitsTests|NotificationContentTests")
private let filter = MutatedFile(
    .webhooks, "filter", webhooks + "WebhookFilter.swift", suites: "WebhookMessageTests|WebhooksTests.HandlerTests")
private let ids = MutatedFile(.webhooks, "id", webhooks + "WebhookID.swift", suites: "WebhookMessageTests")
private let states = MutatedFile(
    .webhooks, "content", webhooks + "MessageReading+State.swift", suites: "WebhookMessageTests")
private let notifications = MutatedFile(
    .webhooks, "content", webhooks + "MessageReading+Notifications.swift", suites: "NotificationContentTests")
private let versions = MutatedFile(
    .webhooks, "content", webhooks + "WebhookVersion.swift", suites: "WebhookMessageTests")
private let secrets = MutatedFile(
    .webhooks, "signature", "Platform/SignedRequests/SigningKeys.swift", suites: "SigningKeysTests")
private let certificates = MutatedFile(
    .webhooks, "content", "AppStore/Records/CertificateDirectory.swift", suites: "NotificationContentTests")

private let forms = MutatedFile(
    .consumer, "poison", "Pipeline/PipelineRuntime/DeadLetters/DeadLetterForm.swift",
    suites: "LargeDeadLetterTests|RefusedDeadLetterTests|DeadLetterTests")
private let letterRecords = MutatedFile(
    .consumer, "poison", "Pipeline/PipelineRuntime/DeadLetters/DeadLetter.swift", suites: "DeadLetterTests")
private let letters = MutatedFile(
    .consumer, "poison", "Pipeline/PipelineRuntime/DeadLetters/DeadLetterProducer.swift",
    suites: "LargeDeadLetterTests")
private let attempts = MutatedFile(
    .consumer, "poison", "Pipeline/PipelineRuntime/Partition/RecordAttempts.swift", suites: "RecordDecisionTests")
private let pipeline = MutatedFile(
    .consumer, "damage", "Pipeline/PipelineRuntime/Group/PipelineConsumer.swift", suites: "DamagedTopicTests")
private let consumer = MutatedFile(
    .consumer, "damage", "Platform/Kafka/Consumer/KafkaConsumer.swift", suites: "DamagedBatchTests")
private let reading = MutatedFile(
    .consumer, "damage", "Platform/Kafka/Consumer/KafkaConsumer+Reading.swift", suites: "DamagedBatchTests")
private let properties = MutatedFile(
    .consumer, "damage", "Platform/Kafka/Client/KafkaProperties.swift",
    suites: "DamagedBatchTests|KafkaConfigurationTests")
private let receivers = MutatedFile(
    .webhooks, "receivers", webhooks + "WebhooksSettings+Receivers.swift", suites: "ReceiversTests")
private let application = MutatedFile(
    .webhooks, "receivers", webhooks + "WebhooksApplication.swift", suites: "ReceiversTests")

enum WebhooksMutants {
    static let all: [Mutant] = [
        receivers.mutant("receivers-general-key", "configuration.origin(of: general) != .default", "false"),
        receivers.mutant("receivers-one-group", "groups.updateValue(name, forKey: own[group])", "String?.none"),
        receivers.mutant(
            "receivers-own-group", #""\(TopicNames.webhooksGroup)-\(receiver)""#, "TopicNames.webhooksGroup"),
        application.mutant("receivers-paused", "!context.configuration[WebhooksSettings.paused]", "true"),
        failures.mutant("failures-count", "failure.count >= limits.count", "true"),
        failures.mutant("failures-time", "lasted >= limits.time", "true"),
        failures.mutant("failures-while-others-are-accepted", "failure.accepted != accepted", "true"),
        failures.without(
            "failures-end-with-acceptance", "state.failures[record.topicPartition]?[record.offset] = nil",
            after: "func accepted("),
        failures.mutant("failures-kept-count", "kept.count", after: "return Failure(", "1"),
        failures.mutant("failures-kept-first", "age * 1_000_000", "0"),
        failures.mutant("failures-kept-age", "failure.first > oldest", "true"),
        failures.mutant("failures-kept-until-decided", "state.kept.removeValue(forKey: name) != nil", "false"),
        failures.mutant(
            "failures-kept-until-accepted", "state.kept.removeValue(forKey: .init(record)) != nil", "false"),
        failuresFile.mutant(
            "failures-file-version", #"root.object?["version"]?.integer == Self.formatVersion"#, "true"),
        failures.without("failures-of-partition", "state.withLock { $0.failures[partition] = nil }"),
        failures.mutant(
            "probe-not-while-many-fail", "state.failures.values.map(\\.count).reduce(0, +) <= Self.maximumFailing",
            "true"),
        handler.mutant("probe-when-nothing-is-left", "failures.lacksAcceptance(record, at: now)", "false"),
        handler.mutant("unchanged-is-not-posted", "accepted.hasAccepted(message.content, of: record)", "false"),
        handler.without("unchanged-only-after-acceptance", "accepted.willPost(message.content, of: record)"),
        acceptedStates.mutant("accepted-newest", "known.version > content.version", "false"),
        handler.without("accepted-of-partition", "accepted.forget(partition)"),
        states.mutant("content-without-moment", #"![internalMember, "version", "asOf"].contains(member.name)"#, "true"),
        handler.without("stop-when-gone", "isStopped.store(true, ordering: .relaxed)"),
        handler.without("metric-when-gone", "metrics.stopped()"),
        handler.mutant("gone-may-be-retried", "settings.stopsWhenGone", "true"),
        handler.mutant("filter-is-asked", "settings.filter.refusal(message)", "nil"),
        handler.mutant("refusals-of-everything", "refusals <= refusalLimit", "true"),
        handler.without("attempts-are-kept", "attempts.add(attempt)"),
        waits.mutant("header-lost-after-a-reading", "readSince >= due", "true"),
        waits.mutant("header-timeout", "now >= due", "true"),
        statuses.mutant("status-gone", ".gone", after: "case 410: ", ".receiverSettings"),
        statuses.mutant("status-throttled", ".throttled", after: "case 429: ", ".unavailable"),

        filter.mutant("filter-app", "!apps.contains(app.rawValue)", "false"),
        filter.mutant("filter-type-part", #"type.hasPrefix(part + ".")"#, "type.hasPrefix(part)"),
        filter.mutant("filter-type-whole", "type == part", "false"),
        ids.mutant("id-version", "Self.word(version)", #""1""#),
        ids.mutant("id-value", "value.map(Self.digest)", "value.map { _ in String() }"),
        ids.mutant("id-purchase", "Self.digest(key)", #""1""#),
        ids.mutant("id-length", "(1...64).contains(text.utf8.count)", "true"),
        states.mutant("state-without-facts", "member.name != Self.internalMember", "true"),
        states.mutant("state-type-agrees", "states.count == 1", "true"),
        states.mutant("erasure-version", "record.timestampMilliseconds ?? 0", "0"),
        states.mutant("erasure-once", "record.header(StateHeader.expired) == nil", "true"),
        versions.mutant("version-width", "15 - digits.utf8.count", "0"),
        notifications.mutant(
            "notification-without-proof", "Self.applesMembers.contains(member.name)", "true"),
        notifications.without(
            "signed-waits-for-certificates", "throw .notYet(header)",
            instead: "throw .unusable(WebhooksReason.malformedProof)"),
        certificates.mutant(
            "certificate-digest", "SHA256.digest(of: header.segment).hex == header.reference.rawValue", "true"),
        secrets.mutant("signature-of-id-and-time", #"Array("\(id).\(timestamp).".utf8) + body"#, "body"),

        forms.mutant("dead-letter-too-large", "content.smaller", "nil"),
        forms.mutant("dead-letter-without-key", "code == .recordRejected", "false"),
        letterRecords.mutant("dead-letter-original-time", "String(timestamp)", "String(0)"),
        letters.mutant("dead-letter-limit", "Self.maximumBytes", after: "let limit", "0"),
        attempts.mutant("attempts-of-retries", "failures + 1", "1"),
        pipeline.without("damage-ends-process", "if let damage { fail(damage) }"),
        consumer.mutant("damage-is-told", "error.code.isDamage", "false"),
        reading.mutant("nothing-behind-damage", "state.failure == nil", "true"),
        properties.mutant(
            "checksums", #"ClientProperty("check.crcs", "true")"#, #"ClientProperty("check.crcs", "false")"#),
    ]
}
