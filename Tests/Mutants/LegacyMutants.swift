// The conversion of bodies of version 1 and of the oldest form: subject, type, time, and removal of the secret.

private let module = "AppStore/LegacyNotifications/"
private let conditions = MutatedFile(
    .legacy, "mapping", module + "LegacyEvent+Conditions.swift", suites: "LegacyMappingTests|LegacyEventTests")
private let event = MutatedFile(
    .legacy, "mapping", module + "LegacyEvent.swift",
    suites: "LegacyMappingTests|LegacyFieldTests|LegacyIdentityTests|LegacySubjectTests")
private let subject = MutatedFile(
    .legacy, "mapping", module + "LegacySubject.swift", suites: "LegacySubjectTests")
private let identity = MutatedFile(
    .legacy, "mapping", module + "LegacyIdentity.swift", suites: "LegacyIdentityTests")
private let object = MutatedFile(
    .legacy, "reading", module + "LegacyObject.swift", suites: "LegacyDateTests|LegacyHostileTests")
private let receipt = MutatedFile(
    .legacy, "reading", module + "LegacyReceipt.swift", suites: "LegacyHostileTests")
private let notification = MutatedFile(
    .legacy, "reading", module + "LegacyNotification.swift", suites: "LegacyHostileTests|LegacyRedactionTests")
private let names = MutatedFile(
    .legacy, "secret", module + "LegacyBody+Redaction.swift", suites: "LegacyRedactionTests")
private let redaction = MutatedFile(
    .legacy, "secret", "Platform/JSON/JSONDocument+Redaction.swift", suites: "JSONRedactionTests")

private let rules = "AppStore/EntitlementRules/"
private let trust = MutatedFile(
    .legacy, "settling", rules + "PurchaseFacts+Trust.swift", suites: "LegacySettlingTests")
private let question = MutatedFile(
    .legacy, "settling", rules + "LegacyQuestion.swift", suites: "LegacySettlingTests")
private let facts = MutatedFile(.legacy, "settling", rules + "LegacyFacts.swift", suites: "LegacySettlingTests")
private let unsigned = MutatedFile(
    .legacy, "settling", rules + "UnsignedRenewal.swift", suites: "LegacySettlingTests")

enum LegacyMutants {
    static let all = mapping + reading + secret + settling

    private static let settling: [Mutant] = [
        trust.mutant("legacy-new-transaction", "unsigned.start <= newestStart", "true"),
        trust.mutant(
            "legacy-known-expiry", "signed.expiresDate ?? .latest >= unsigned.expiresDate ?? .earliest", "false"),
        trust.mutant("legacy-end-settled", "signed.revocationDate != nil || isUpgraded(signed)", "true"),
        trust.mutant(
            "legacy-settled-later", "signedDate > id.signedDate.advanced(byMilliseconds: settlingMilliseconds)",
            "signedDate > id.signedDate"),
        trust.mutant("legacy-failure-void", "isPast ? unsigned.withoutFailure : unsigned.facts", "unsigned.facts"),
        question.mutant("legacy-contested", "signed.revocationDate == nil", "false"),
        question.mutant(
            "legacy-asked-again", "!legacy.confirmed.covers(ended.version)", "false"),
        question.mutant("legacy-end-of-renewal", "renewal?.autoRenewStatus != .off", "true"),
        question.mutant("legacy-unheard-end", "$0 >= latest", "false"),
        facts.mutant(
            "legacy-cancellation-stays", "offered.revocationDate != nil || offered.isUpgraded", "false"),
        unsigned.mutant("legacy-later-period", "periodStart > other.periodStart", "false"),
        unsigned.mutant("legacy-former-period", "!isLater(than: signed, until: end)", "true"),
        unsigned.mutant(
            "legacy-bought-again", "end.map { renewalDate < $0 } ?? (renewalDate <= periodStart)",
            "renewalDate <= periodStart"),
    ]

    private static let mapping: [Mutant] = [
        conditions.mutant("legacy-upgraded-in-period", "start <= cancellation && cancellation < end", "false"),
        conditions.mutant("legacy-upgraded-running", "previousEnd > start", "true"),
        conditions.mutant("legacy-upgraded-product", "previousProductId != productId", "true"),
        conditions.mutant("legacy-grace", "$0 > time", "true"),
        conditions.mutant("legacy-downgrade", "autoRenewProductId != productId", "true"),
        conditions.mutant("legacy-expired", "status == .expired", "true"),
        conditions.mutant("legacy-resubscribed-retry", "renewal?.isInBillingRetryPeriod != true", "true"),
        conditions.mutant("legacy-expired-intent", "expirationIntent != nil", "true"),
        conditions.mutant("legacy-resubscribed", "start > previousEnd", "true"),
        conditions.mutant("legacy-switched-on-later", "start.milliseconds(to: time) <= Self.purchaseWindow", "true"),
        conditions.mutant(
            "legacy-consent", "renewal?.priceIncreaseStatus == PriceIncreaseStatus.consented.rawValue", "true"),
        event.mutant(
            "legacy-time", "min(date ?? newestDate ?? receivedAt, receivedAt)", "date ?? newestDate ?? receivedAt"),
        event.mutant("legacy-newest-date", "dates.compactMap { $0 }.max()", "nil"),
        event.mutant("legacy-oldest-intent", "statement.source == .v1 || autoRenewStatus == false", "true"),
        event.mutant(
            "legacy-grace-retry", "renewal?.isInBillingRetryPeriod == true ? renewal?.gracePeriodExpiresDate : nil",
            "renewal?.gracePeriodExpiresDate"),
        event.mutant("legacy-status-upgraded", "$0.transactionId == id ? !isUpgraded : !$0.isUpgraded", "true"),
        event.mutant(
            "legacy-status-newest", "deciding.transactionId == id ? isRevoked : deciding.cancellationDate != nil",
            "isRevoked"),
        event.mutant("legacy-status-active", "expiresDate > time", "true"),
        event.mutant("legacy-status-retry", "isInGracePeriod ? .billingGracePeriod : .billingRetry", ".billingRetry"),
        event.mutant(
            "legacy-replaced-in-time", "abs(date.milliseconds(to: start)) <= replacementWindow", "true"),
        event.mutant("legacy-replaced-group", "otherGroup == group", "true"),
        event.mutant(
            "legacy-replaced-uncancelled", "other.cancellationDate == nil && cancelled.isBought(before: other)",
            "cancelled.isBought(before: other)"),
        event.mutant("legacy-revoked", "cancellationDate != nil && !isUpgraded", "cancellationDate != nil"),
        subject.mutant("legacy-subject-cancelled", "$0.isCancelled(before: $1)", "$0.isBought(before: $1)"),
        subject.mutant(
            "legacy-subject-date", "statement.cancellationDate != nil", after: "so the body must contain its date.",
            "true"),
        subject.mutant("legacy-subject-named", "statement.type.isAboutCancellation", "false"),
        subject.mutant("legacy-subject-oldest", "statement.source == .v0", "true"),
        identity.mutant("legacy-identity-expiry", "milliseconds(transaction?.expiresDate)", "nil"),
        identity.mutant("legacy-identity-cancellation", "milliseconds(event.cancellationDate)", "nil"),
        identity.mutant("legacy-identity-undated", "!event.hasDate", "false"),
        identity.mutant("legacy-identity-consent", "event.renewal?.priceConsentText", "nil"),
    ]

    private static let reading: [Mutant] = [
        object.mutant("legacy-text", "BoundedText.accepts(text)", after: "expected a string or a number", "true"),
        object.mutant("legacy-number", "TextGrammar.isNumber(text)", "true"),
        object.mutant("legacy-negative", "$0 < 0 ? nil : $0", "$0"),
        receipt.mutant("legacy-elements", "elements.count < LegacyNotification.maximumElements", "true"),
        receipt.mutant("legacy-element-kind", "element.kind == .object", "true"),
        notification.mutant("legacy-environments", "name == environment.rawValue", "true"),
        notification.mutant("legacy-app", "named == bundleId", "true"),
        notification.mutant("legacy-read-redacted", "LegacyBody(Self.document(legacy))", "LegacyBody(body)"),
    ]

    private static let secret: [Mutant] = [
        names.mutant("legacy-secret", #"["password"]"#, "[]"),
        names.mutant("legacy-private", "Self.privateNames", "[]"),
        redaction.mutant("redaction-names", "containsSecret(name)", "false"),
        redaction.mutant("redaction-nested", #"text.contains(UInt8(ascii: "\\"))"#, "false"),
        redaction.mutant("redaction-comma", "keptEnd ?? runStart", "runStart"),
        redaction.mutant("redaction-last", "search.secrets.contains(where: { $0.isFound(in: output[...]) })", "false"),
        redaction.mutant("redaction-bound", "search.secrets.count <= Redaction.maximumSecrets", "true"),
        redaction.mutant("redaction-further", "redaction.secrets.filter { !$0.isEmpty }", "[]"),
    ]
}
