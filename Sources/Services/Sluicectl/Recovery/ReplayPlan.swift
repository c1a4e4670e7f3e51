internal import AppStoreModel
internal import CommandLine
internal import JSON
internal import Kafka

/// The plan for a replay: the number of records by type, app and reason.
struct ReplayPlan {
    /// The number of records with each name, such as a type or an app. The number of names is limited, because any
    /// producer can write records with new names.
    struct Counts {
        static let maximumNames = 200
        private static let others = "other"
        private(set) var numbers: [String: Int] = [:]

        mutating func add(_ name: String) {
            let isNew = numbers[name] == nil
            numbers[isNew && numbers.count >= Self.maximumNames ? Self.others : name, default: 0] += 1
        }

        /// The names with their counts, most frequent first.
        var text: String {
            numbers.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
                .map { "\(PlainText.printable($0.key, maximum: 200)) \($0.value)" }.joined(separator: ", ")
        }

        var json: JSONValue {
            var object = JSONObject()
            for (name, number) in numbers.sorted(by: { $0.key < $1.key }) { object[name] = .integer(Int64(number)) }
            return .object(object)
        }
    }

    private(set) var types = Counts()
    private(set) var apps = Counts()
    private(set) var reasons = Counts()
    private(set) var targets = Counts()
    private(set) var refusals = Counts()
    private(set) var count = 0
    private var range: ClosedRange<Int64>?

    /// Counts a record that can be replayed.
    mutating func add(_ subject: ReplaySubject, to topic: KafkaTopic) {
        count += 1
        types.add(subject.type ?? "-")
        apps.add(subject.bundleId ?? "-")
        if let reason = subject.reason { reasons.add(reason) }
        targets.add(topic.rawValue)
        guard let at = subject.at else { return }
        range = min(at, range?.lowerBound ?? at)...max(at, range?.upperBound ?? at)
    }

    /// Counts a record that cannot be replayed, by reason.
    mutating func add(refusal: ReplayRefusal) { refusals.add(refusal.reason) }

    var topics: [KafkaTopic] { targets.numbers.keys.sorted().map { KafkaTopic(rawValue: $0) } }

    private var times: (from: AppStoreInstant, to: AppStoreInstant)? {
        range.map {
            (
                AppStoreInstant(clampingMillisecondsSince1970: $0.lowerBound),
                AppStoreInstant(clampingMillisecondsSince1970: $0.upperBound)
            )
        }
    }

    /// The plan as a table. Omits the total record counts, because the preceding line contains them.
    func text(_ reach: ReplayReach, perSecond: Int) -> String {
        var rows = [["types", types.text], ["apps", apps.text]]
        if !reasons.numbers.isEmpty { rows.append(["reasons", reasons.text]) }
        if let times { rows.append(["times", "\(PlainText.seconds(times.from)) to \(PlainText.seconds(times.to))"]) }
        rows.append(["into", targets.text])
        switch reach {
        case .groups(let names):
            let groups = names.map { PlainText.printable($0) }.joined(separator: ", ")
            rows.append(["reaches", names.isEmpty ? "no consumer group that this user may describe" : groups])
        case .unknown(let problem):
            rows.append(["reaches", "every group that reads the topic; the groups cannot be listed: \(problem)"])
        }
        rows.append(["takes", "at least \(seconds(perSecond: perSecond)) s at \(perSecond) records a second"])
        if !refusals.numbers.isEmpty { rows.append(["left", refusals.text]) }
        return PlainText.table(rows, indent: "  ")
    }

    func json(_ reach: ReplayReach, perSecond: Int) -> JSONObject {
        var object: JSONObject = [
            OutputName.types: types.json, OutputName.apps: apps.json, OutputName.reasons: reasons.json,
            OutputName.topics: targets.json, OutputName.refusals: refusals.json,
            OutputName.from: times.map { .string($0.from.description) } ?? .null,
            OutputName.to: times.map { .string($0.to.description) } ?? .null,
            OutputName.seconds: .integer(Int64(seconds(perSecond: perSecond))),
        ]
        switch reach {
        case .groups(let names): object[OutputName.groups] = .array(names.map { .string($0) })
        case .unknown: object[OutputName.groups] = .null
        }
        return object
    }

    private func seconds(perSecond: Int) -> Int { (count + max(1, perSecond) - 1) / max(1, perSecond) }
}
