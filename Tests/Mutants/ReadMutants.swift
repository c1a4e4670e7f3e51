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
private let log = MutatedFile(.reads, "log", service + "AccessLog.swift", suites: "AccessLogTests")

enum ReadMutants {
    static let all: [Mutant] = [
        reading.mutant("age-passed-end", "first.offset <= next", "true"),
        reading.mutant("age-recreated", "last.offset > end", "false"),
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
        model.mutant("age-next-look", "published.isUnknown ? moment + pause : nil", "nil as Int64?"),
        model.mutant("age-other-member", "change(rules) ?? change(rules.reading(until: .earliest))", "change(rules)"),
        api.mutant("age-refused", "staleAnswers == .refuse", "false"),
        answers.mutant("age-stale", "age.isStale", "false"),
        answers.mutant("order-facts", "isTimeless ? InputFreshness.unknown : instant", "instant"),
        keys.mutant("keys-most-allowed", "match?.permission == .full", "false"),
        log.mutant("log-questions", "lines == .all", "true"),
    ]
}
