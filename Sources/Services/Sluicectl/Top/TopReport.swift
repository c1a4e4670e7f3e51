internal import AppStoreModel
internal import CommandLine
internal import JSON
internal import Kafka

/// Formats a snapshot as text and JSON, with the rates since the previous snapshot.
struct TopReport {
    let snapshot: TopSnapshot
    /// The previous snapshot, or nil if there is none.
    let earlier: TopSnapshot?

    /// Returns text that fits on a screen, with a count of the lines that do not fit.
    func text(columns: Int, rows: Int) -> String {
        var lines = [header, ""]
        lines += table(
            [["MEMBER", "EXECUTABLE", "READY", "PARTS", "PER S", "LAG", "LAG S", "OLDEST S"]]
                + snapshot.members.map(memberRow),
            none: "no members given; specify their admin listeners with --members")
        lines += snapshot.members.flatMap(notes)
        let rates = rateLines
        if !rates.isEmpty { lines += [""] + rates }
        lines.append("")
        lines += table(
            [["GROUP", "TOPIC", "STATE", "LAG", "SLOWEST"]] + slowestFirst.map(groupRow),
            none: snapshot.kafkaFailure == nil ? "no group that this user may describe has committed an offset" : "")
        return fit(lines, columns: columns, rows: rows)
    }

    private var header: String {
        let moment = snapshot.at.map { PlainText.seconds($0) } ?? "-"
        let ready = snapshot.members.count { $0.isReady }
        let kafka = snapshot.kafkaFailure.map { "Kafka: " + PlainText.printable($0) } ?? "Kafka answers"
        return "\(moment)  \(ready) of \(snapshot.members.count) members ready  \(kafka)"
    }

    private func table(_ rows: [[String]], none: String) -> [String] {
        guard rows.count > 1 else { return none.isEmpty ? [] : [none] }
        return PlainText.table(rows).split(separator: "\n").map(String.init)
    }

    private func memberRow(_ member: TopMember) -> [String] {
        let page = member.page
        func cell(_ value: Double?) -> String { value.map { TopMetrics.count($0) } ?? "-" }
        return [
            Self.address(member.url), member.executable ?? "-",
            member.failure != nil ? "gone" : member.problems.isEmpty ? "yes" : "no",
            cell(page.sum(of: TopMetrics.partitions)),
            earlier == nil ? "-" : Self.rate(snapshot.rates(of: member, since: earlier).total),
            cell(page.sum(of: TopMetrics.lagRecords)), cell(page.maximum(of: TopMetrics.lagSeconds)),
            cell(page.maximum(of: TopMetrics.oldestUnfinished)),
        ]
    }

    /// A member's problems and unusual conditions, one per line.
    private func notes(_ member: TopMember) -> [String] {
        let problems = (member.failure.map { [$0] } ?? []) + member.problems + member.notes + member.conditions
        return problems.map { "  \(Self.address(member.url)): \(PlainText.printable($0))" }
    }

    /// The groups in descending order of lag, so that a small screen shows the ones that lag most.
    private var slowestFirst: [TopGroup] {
        snapshot.groups.enumerated().sorted { one, other in
            one.element.lag == other.element.lag ? one.offset < other.offset : one.element.lag > other.element.lag
        }.map(\.element)
    }

    private func groupRow(_ group: TopGroup) -> [String] {
        [
            PlainText.printable(group.group.rawValue), PlainText.printable(group.topic.rawValue), group.state ?? "-",
            String(group.lag), group.worst.map { "partition \($0.partition): \($0.lag)" } ?? "-",
        ]
    }

    /// The outcome rates of each member, one line per member, with the highest rate first.
    private var rateLines: [String] {
        guard earlier != nil else { return [] }
        return snapshot.members.compactMap { member in
            let outcomes = snapshot.rates(of: member, since: earlier).outcomes.sorted { one, other in
                one.value == other.value ? one.key < other.key : one.value > other.value
            }
            guard !outcomes.isEmpty else { return nil }
            let texts = outcomes.map { "\(PlainText.printable($0.key)) \(Self.rate($0.value))/s" }
            return "\(Self.address(member.url)): " + texts.joined(separator: ", ")
        }
    }

    private func fit(_ lines: [String], columns: Int, rows: Int) -> String {
        var lines = lines.map { $0.count > columns ? String($0.prefix(max(1, columns) - 1)) + "…" : $0 }
        if lines.count > rows, rows > 1 {
            let hidden = lines.count - rows + 1
            lines = Array(lines.prefix(rows - 1)) + ["… \(hidden) more lines; use --once to print them all"]
        }
        return lines.map { $0 + "\n" }.joined()
    }

    private static func address(_ url: String) -> String {
        PlainText.printable(url.hasPrefix("http://") ? String(url.dropFirst(7)) : url)
    }

    private static func rate(_ value: Double) -> String {
        value >= 10 ? TopMetrics.count(value) : TopMetrics.count(value * 10).asTenths
    }

    // MARK: JSON

    var json: JSONObject {
        var object: JSONObject = [
            OutputName.healthy: .bool(snapshot.isHealthy)
        ]
        object[OutputName.at] = snapshot.at.map { .string($0.description) }
        if let failure = snapshot.kafkaFailure { object[OutputName.kafkaFailure] = .string(failure) }
        object[OutputName.members] = .array(snapshot.members.map { .object(json(of: $0)) })
        object[OutputName.groups] = .array(snapshot.groups.map { .object(Self.json(of: $0)) })
        return object
    }

    private func json(of member: TopMember) -> JSONObject {
        let problems = (member.failure.map { [$0] } ?? []) + member.problems
        var object: JSONObject = [OutputName.url: .string(member.url), OutputName.ready: .bool(member.isReady)]
        object[OutputName.executable] = member.executable.map { .string($0) }
        object[OutputName.version] = member.version.map { .string($0) }
        object[OutputName.problems] = .array(problems.map { .string($0) })
        object[OutputName.notes] = .array(member.notes.map { .string($0) })
        object[OutputName.conditions] = .array(member.conditions.map { .string($0) })
        let page = member.page
        let values = [
            (OutputName.assignedPartitions, page.sum(of: TopMetrics.partitions)),
            (OutputName.lagRecords, page.sum(of: TopMetrics.lagRecords)),
            (OutputName.lagSeconds, page.maximum(of: TopMetrics.lagSeconds)),
            (OutputName.oldestUnfinishedSeconds, page.maximum(of: TopMetrics.oldestUnfinished)),
        ]
        for (name, value) in values { object[name] = value.map { Self.number($0) } }
        guard earlier != nil else { return object }
        var rates = JSONObject()
        for (outcome, rate) in snapshot.rates(of: member, since: earlier).outcomes.sorted(by: { $0.key < $1.key }) {
            rates[outcome] = Self.number(rate)
        }
        object[OutputName.perSecond] = .object(rates)
        return object
    }

    /// Returns a number with at most three decimal places.
    private static func number(_ value: Double) -> JSONValue {
        if let whole = Int64(exactly: value) { return .integer(whole) }
        return (try? JSONValue(json: Array("\((value * 1_000).rounded() / 1_000)".utf8))) ?? .null
    }

    private static func json(of group: TopGroup) -> JSONObject {
        var object: JSONObject = [
            OutputName.group: .string(group.group.rawValue), OutputName.topic: .string(group.topic.rawValue),
        ]
        object[OutputName.state] = group.state.map { .string($0) }
        object[OutputName.lagRecords] = .integer(group.lag)
        var lags = JSONObject()
        for (partition, lag) in group.lags.sorted(by: { $0.key < $1.key }) { lags["\(partition)"] = .integer(lag) }
        object[OutputName.lagByPartition] = .object(lags)
        return object
    }
}

extension String {
    /// The digits with a decimal point before the last one: `123` becomes `12.3`.
    fileprivate var asTenths: String { count < 2 ? "0." + self : dropLast() + "." + suffix(1) }
}
