// Check 1, and the ingress's own rules: the response in each case, and the choice of the topic.

private let ingress = "Services/Ingress/"
private let listener = MutatedFile(
    .ingress, "1", ingress + "NotificationListener.swift", suites: "RefusedNotificationTests")
private let accepted = MutatedFile(
    .ingress, "200", ingress + "NotificationProcessor.swift",
    suites: "AcceptedNotificationTests|RefusedNotificationTests")
private let outage = MutatedFile(.ingress, "200", ingress + "NotificationProcessor.swift", suites: "OutageTests")
private let policy = MutatedFile(
    .ingress, "200", ingress + "AcknowledgementPolicy.swift", suites: "AcknowledgementPolicyTests")
private let reasons = MutatedFile(
    .ingress, "200", "AppStore/AppStoreVerification/Reason.swift", suites: "AcknowledgementPolicyTests")
private let duplicates = MutatedFile(
    .ingress, "duplicates", ingress + "DuplicateWindow.swift", suites: "DuplicateWindowTests")
private let publication = "AppStore/Publication/"
private let keys = MutatedFile(
    .ingress, "duplicates", publication + "DuplicateKey.swift", suites: "DuplicateKeyTests")
private let publisher = MutatedFile(
    .ingress, "200", publication + "NotificationPublisher.swift", suites: "AcceptedNotificationTests")
private let quarantine = MutatedFile(
    .ingress, "quarantine", ingress + "NotificationProcessor.swift", suites: "QuarantineTests")
private let publishedQuarantine = MutatedFile(
    .ingress, "quarantine", publication + "NotificationPublisher.swift", suites: "QuarantineTests")
private let budget = MutatedFile(
    .ingress, "quarantine", ingress + "QuarantineBudget.swift", suites: "QuarantineBudgetTests")
private let bucket = MutatedFile(
    .ingress, "quarantine", "Platform/Primitives/Concurrency/TokenBucket.swift", suites: "QuarantineBudgetTests")
private let clock = MutatedFile(.ingress, "clock", ingress + "ClockSanity.swift", suites: "ClockSanityTests")
private let dates = MutatedFile(.ingress, "clock", ingress + "SignedDates.swift", suites: "SignedDatesTests")
private let producer = MutatedFile(
    .ingress, "breaker", "Platform/Kafka/Producer/KafkaProducer.swift", suites: "OutageTests")
private let slow = MutatedFile(
    .ingress, "goodput", "Platform/Kafka/Producer/KafkaProducer.swift", suites: "GoodputTests|KafkaProducerFaultTests")
private let ages = MutatedFile(
    .ingress, "goodput", "Platform/Kafka/Producer/SendAges.swift", suites: "PendingSendsTests")
private let readiness = MutatedFile(
    .ingress, "readiness", ingress + "IngressReadiness.swift", suites: "OutageTests|RefusedNotificationTests")
private let breaker = MutatedFile(
    .ingress, "breaker", "Platform/Kafka/Producer/ProducerBreaker.swift", suites: "ProducerBreakerTests")

private let legacy = MutatedFile(
    .ingress, "v1", ingress + "Legacy/LegacyVerifier.swift", suites: "LegacyRowTests")
private let secrets = MutatedFile(
    .ingress, "v1", "AppStore/AppStoreSettings/SharedSecrets.swift", suites: "SharedSecretsTests")

enum IngressMutants {
    static let all: [Mutant] = [
        legacy.mutant("v1-password", "secrets.contain(digest: digest)", "true"),
        legacy.mutant("v1-enabled", "!secrets.isEmpty", "true"),
        legacy.mutant("v1-app", "known.app.bundleId == named", "true"),
        legacy.mutant("v1-one-app", "found.count == 1", "true"),
        legacy.mutant("v1-bundle", "apps[bundleId] != nil", "true"),
        legacy.mutant("v1-form", "text.isEmpty", "false"),
        legacy.mutant("v1-longest-password", "password.range.count <= longestPassword", "true"),
        legacy.mutant("v1-wrong-app", ".refused(.password, app: named)", ".refused(.password, app: nil)"),
        legacy.mutant("v1-sandbox", "isExpected || notification.environment == .sandbox", "isExpected"),
        legacy.mutant("v1-environment", "isExpected || notification.environment == .sandbox", "true"),
        legacy.mutant("v1-redacted", "body.redacted()", after: "error.description, ", "document.bytes"),
        secrets.mutant("v1-digest", "constantTimeEquals(known, digest)", "true"),

        listener.mutant("path", "head.pathIs(path)", "true"),
        listener.mutant("method", #"head.methodIs("POST")"#, "true"),
        listener.mutant("body-size", "256 * 1024", "1 << 30"),

        outage.mutant(
            "response-before-acknowledgement", "AcknowledgementPolicy.notAcknowledged(error)",
            after: "metrics.accepted(identity, trust, receivedAt: receivedAt)", "answer"),
        outage.mutant(
            "response-despite-failure", "AcknowledgementPolicy.notAcknowledged(error)",
            after: "private func publish(_ notification",
            "answer"),
        policy.mutant("status-of-failure", "503", after: "func notAcknowledged", "200"),
        reasons.mutant("status-of-form", "400", after: ".jsonDuplicate: (.body, ", "503"),
        reasons.mutant("status-of-forbidden", "403", after: ".leafKey, .signature: (.signature, ", "503"),
        reasons.mutant("status-of-unavailable", "503", after: ".revocationUnknown: (.revocation, ", "403"),
        policy.mutant("status-of-clock", "503", after: "static let clock", "400"),
        policy.mutant("status-of-budget", "503", after: "static let quarantineBudget", "200"),
        reasons.mutant("status-of-new-chains", "429", after: ".newCertificateChains: (.pinnedRoot, ", "503"),
        policy.mutant("status-of-version-1", "403", after: "case .disabled: (", "200"),
        policy.mutant("status-of-password", "401", after: "case .password: (", "200"),
        policy.mutant("status-of-inconsistent", "503", after: "static let inconsistent", "200"),
        accepted.mutant(
            "version-1", "AcknowledgementPolicy.refused(refusal)", after: "switch verdict {\n        case .refused",
            "AcknowledgementPolicy.accepted"),
        publisher.mutant(
            "sandbox-topic", "topics.notifications(identity.environment)", "topics.notifications(.production)"),

        outage.mutant("remembered-despite-failure", "false", after: "refused answer: HTTPResponse)", "true"),
        duplicates.mutant(
            "remembered-when-settled", "acknowledged", after: "removeValue(forKey: identity)", "true"),
        duplicates.without(
            "remembered-at-arrival", "state.inFlight[identity] = InFlight(content: content)",
            instead:
                "state.inFlight[identity] = InFlight(content: content); state.acknowledged[identity] = .some(content)"),
        duplicates.mutant("remembered", "state.acknowledged[identity] != nil", "false"),
        duplicates.mutant("asked-duplicates", "$0.acknowledged[identity] != nil", "true"),
        accepted.mutant("duplicates-not-asked", "duplicates.isAcknowledged(key)", "false"),
        duplicates.mutant("contradiction", "known != content", "false"),
        accepted.mutant("contradiction-compared", "duplicates.isOther(content, than: key)", "false"),
        duplicates.mutant("copies-wait", "state.inFlight[identity] != nil", "false"),
        duplicates.mutant("window-size", "state.ring.count < capacity", "true"),
        keys.mutant("window-environment", "environment == .production ? .production : .sandbox", ".production"),
        keys.mutant(
            "window-legacy-environment", "environment == .production ? .legacyProduction : .legacySandbox",
            ".legacyProduction"),
        accepted.without(
            "duplicates-are-answered", "for waiter in waiters { waiter.respond(AcknowledgementPolicy.duplicate) }"),

        quarantine.without(
            "quarantine-without-record", "quarantine(notification, work)",
            after: "case .nonconforming(let notification):",
            instead: "work.exchange.respond(HTTPResponse(status: 200, reason: notification.reason.rawValue))"),
        publishedQuarantine.mutant("quarantine-topic", "topics.quarantine", "topics.notifications(.production)"),
        quarantine.mutant(
            "quarantine-response-despite-failure", "AcknowledgementPolicy.notAcknowledged(error)",
            after: "giveBack(count)",
            "AcknowledgementPolicy.quarantined(notification)"),
        quarantine.mutant(
            "quarantine-copies", "isFirst(known, nil, exchange)",
            after: "private func quarantine(_ notification: QuarantinableNotification", "true"),
        quarantine.mutant(
            "budget", "quarantine.take(count, nowNanoseconds: clocks.monotonicNanoseconds())", "true"),
        quarantine.mutant("budget-given-back", "error.persistence == .no", "false"),
        bucket.mutant("budget-bound", "available(now: now) >= count", "true"),
        bucket.mutant(
            "budget-rim", "min(capacity, tokens + Double(now - refilledAt) * perNanosecond)",
            "tokens + Double(now - refilledAt) * perNanosecond"),
        bucket.mutant("budget-rim-given-back", "min(capacity, tokens + count)", "tokens + count"),
        budget.mutant("budget-refill", "capacity / 3600", "capacity"),

        accepted.mutant(
            "clock", "sanity.observe(wall: now, monotonic: monotonic)", "true"),
        accepted.mutant("clock-contradicted", "refusal.reason == .clock", "false"),
        accepted.without("clock-agreed", "signedDates.agreed()", after: "case .accepted(let notification):"),
        dates.mutant("clock-three", "$0.digests.count >= Self.enough", "$0.digests.count > 0"),
        dates.mutant("clock-asked-again", "now - $0.last < Self.remembered", "true"),
        policy.mutant("refused-connection-closes", "(400...403).contains(refusal.status)", "false"),
        clock.mutant("clock-early", "wall >= Self.earliest", "true"),
        clock.mutant("clock-late", "wall <= Self.latest", "true"),
        clock.mutant("clock-jump-ahead", "drift > Self.tolerance", "false"),
        clock.mutant("clock-jump-back", "drift < -Self.tolerance", "false"),
        clock.mutant("clock-minute", "monotonic - jumpedAt < Self.minute", "false"),
        clock.mutant("clock-drift", "monotonic - state.offsetAt >= Self.minute", "false"),

        readiness.mutant("ready-without-broker", "!status.isAvailable", "false"),
        readiness.mutant(
            "ready-with-wrong-clock", "sanity.observe(wall: clocks.wallMilliseconds(), monotonic: monotonic)", "true"),
        readiness.mutant("ready-with-contradicted-clock", "!signedDates.contradictClock(at: monotonic)", "true"),

        slow.mutant("slow", "now - oldest > UInt64(limit.clampedNanoseconds)", "false"),
        slow.mutant("slow-partition", "record.partition ?? generation.partition(of: record)", "nil"),
        policy.mutant("status-of-slow", "IngressReason.kafkaSlow", "IngressReason.accepted"),
        ages.mutant("slow-oldest", "known.oldest == slot ? link.newer : known.oldest", "known.oldest"),
        ages.without("slow-unlinked", "links[link.older].newer = link.newer", after: "if link.older >= 0 { "),

        producer.mutant("breaker", "state.breaker.admits(at: now)", "true"),
        breaker.mutant("breaker-opens", "timeoutsInARow >= timeoutLimit", "false"),
        breaker.mutant("breaker-probe", "now >= nextProbe", "true"),
        breaker.mutant("breaker-each-second", "now &+ Self.probeInterval", after: "guard now >= nextProbe", "now"),
        breaker.without("breaker-closes", "state = .closed", after: "mutating func acknowledged()"),
        breaker.without("breaker-counts-in-a-row", "timeoutsInARow = 0", after: "mutating func acknowledged()"),
        breaker.without("breaker-refusal-is-a-response", "timeoutsInARow = 0", after: "mutating func refused() { "),
        breaker.mutant("breaker-no-broker", "brokersUp == 0", "false"),
        breaker.mutant("breaker-waits-for-answers", "isDisconnected || recordsInFlight == 0", "true"),
    ]
}
