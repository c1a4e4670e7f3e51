// The read API: the age and the order of responses, and the authorization of callers.

private let service = "Services/Entitlements/"
private let reading = MutatedFile(
    .reads, "age", service + "Freshness/PartitionReading.swift", suites: "PartitionReadingTests")
private let freshness = MutatedFile(
    .reads, "age", service + "Freshness/InputFreshness.swift", suites: "InputFollowerTests|AnswerAgeTests")
private let follower = MutatedFile(
    .reads, "age", service + "Freshness/InputFollower.swift", suites: "InputFollowerTests")
private let model = MutatedFile(.reads, "age", service + "EntitlementsModel.swift", suites: "AnswerAgeTests")
private let api = MutatedFile(.reads, "age", service + "ReadAPI.swift", suites: "AnswerAgeTests")
private let answers = MutatedFile(
    .reads, "order", service + "EntitlementsAnswers.swift", suites: "AnswerAgeTests|AnswerVersionTests")
private let keys = MutatedFile(.reads, "keys", service + "AccessKeyList.swift", suites: "AccessKeysTests")
private let rules = "AppStore/EntitlementRules/"
private let scan = MutatedFile(.reads, "scan", rules + "PurchaseFacts+Scan.swift", suites: "FactsScanTests")
private let scanned = MutatedFile(.reads, "scan", rules + "ScannedMembers.swift", suites: "FactsScanTests")
private let scannedNames = MutatedFile(.reads, "scan", rules + "TransactionScan.swift", suites: "FactsScanTests")
private let names = MutatedFile(.reads, "scan", "Platform/JSON/JSONMemberTable.swift", suites: "FactsScanTests")
private let facts = MutatedFile(
    .reads, "scan", service + "FactsReading.swift", suites: "FactsScanTests|FactsReadingTests")
private let log = MutatedFile(.reads, "log", service + "AccessLog.swift", suites: "AccessLogTests")

enum ReadMutants {
    static let all: [Mutant] = [
        reading.mutant("age-passed-end", "first.offset <= next", "true"),
        reading.mutant("age-recreated", "last.offset > end", "false"),
        reading.mutant("age-clock-set-back", "observed - moment > Self.tolerance", "false"),
        reading.mutant("age-record-of-the-future", "timestamp <= observed ?? timestamp", "true"),
        reading.mutant("age-asked-once", "asked != next", "true"),
        freshness.mutant("age-limit", "asOf.milliseconds(to: now) > limit", "false"),
        freshness.mutant("age-least", "min(least, moment)", after: "func age(of", "moment"),
        freshness.mutant("age-obstacle", "age.isStale", "false"),
        follower.without("age-caught-up", "try await catchUp(topic)"),
        follower.mutant(
            "age-handled", "handled(place).flatMap { $0.rawValue <= ends.high ? $0.rawValue : nil } ?? ends.low",
            "ends.low"),
        follower.mutant(
            "age-handled-of-another-topic", "$0.rawValue <= ends.high ? $0.rawValue : nil", "Int64?.some($0.rawValue)"),
        model.mutant("age-next-look", "published.isUnknown", "false"),
        model.mutant("age-other-member", "change(rules) ?? change(rules.reading(until: .earliest))", "change(rules)"),
        api.mutant("age-refused", "staleAnswers == .refuse", "false"),
        answers.mutant("age-stale", "age.isStale", "false"),
        answers.mutant("order-facts", "isTimeless ? InputFreshness.unknown : instant", "instant"),
        keys.mutant("keys-most-allowed", "key.client.permission > known.permission", "true"),
        scan.mutant("scan-environment", "data.enumeration(.environment) == environment", "true"),
        scan.mutant(
            "scan-environment-transaction", "details.enumeration(.environment) ?? environment == environment", "true"),
        scan.mutant(
            "scan-environment-renewal", "members.enumeration(.environment) ?? environment == environment", "true"),
        scan.mutant("scan-not-upgraded", "details.bool(.isUpgraded) == false", "false"),
        scan.mutant("scan-own-date", "members.instant(signedDate) == nil", "true"),
        scanned.mutant("scan-long-text", "Int(node.end - node.start) <= FactsBounds.textBytes", "true"),
        scanned.mutant("scan-token", "isLower(Int(node.start)..<Int(node.end))", "true"),
        scanned.mutant("scan-range", "document.plainInteger(of: value).map(range.contains) ?? false", "true"),
        scanned.mutant("scan-rare", [scanned.statement("return false", after: "case .absent: ", "return true")]),
        scannedNames.mutant("scan-quantity", ".number(1...Int64(Int32.max))", ".number32"),
        names.mutant("scan-escaped-name", "name.hasEscapes", "false"),
        facts.mutant("scan-trust", "isSigned(record)", after: "func read(_ record: KafkaRecord", "true"),
        facts.mutant("scan-bounded", "facts.hasBoundedIdentifiers", after: "func scan", "true"),
        log.mutant("log-questions", "lines == .all", "true"),
    ]
}
