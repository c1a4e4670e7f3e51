internal import AppStoreModel
internal import CommandLine
internal import JSON
internal import Records

/// The output of `sluicectl compare-versions`.
struct TwinReport {
    let comparison: TwinComparison
    /// The maximum number of notifications and of purchases that are listed individually.
    let limit: Int

    private var types: [(key: NotificationType, value: TwinComparison.TypeCounts)] {
        comparison.types.sorted { $0.key.rawValue < $1.key.rawValue }
    }
    /// Notifications without a counterpart, with unexpected ones first because they need the operator's attention.
    private var lone: [TwinComparison.Lone] {
        comparison.lone.filter { !$0.isExpected } + comparison.lone.filter(\.isExpected)
    }

    // MARK: Text

    var text: String {
        guard !comparison.types.isEmpty else { return "no notifications in this range\n" }
        var text = PlainText.table([Self.columns] + types.map { Self.cells($0.key, $0.value) })
        text += statesText
        text += section("without a counterpart", lone.map(Self.cells), total: comparison.lone.count)
        text += section(
            "purchases with different states", comparison.states.differences.flatMap(Self.cells),
            total: comparison.states.differences.count)
        return text + (comparison.isSame ? "\nthe two streams agree\n" : "\nthe two streams differ\n")
    }

    private static let columns = ["TYPE", "BOTH", "OTHER SUBTYPE", "ONLY V2", "ONLY V1", "OF THOSE EXPECTED"]

    private static func cells(_ type: NotificationType, _ counts: TwinComparison.TypeCounts) -> [String] {
        [
            PlainText.printable(type.rawValue, maximum: 60), "\(counts.both)", "\(counts.otherSubtype)",
            "\(counts.onlySigned)", "\(counts.onlySharedSecret)", "\(counts.expected)",
        ]
    }

    private var statesText: String {
        let states = comparison.states
        return "\npurchases: \(states.same) in the same state, \(states.differences.count) in different states, "
            + "\(states.onlySigned) only in V2, \(states.onlySharedSecret) only in V1, "
            + "\(states.notComparable) not comparable\n"
    }

    private func section(_ title: String, _ rows: [[String]], total: Int) -> String {
        guard total > 0 else { return "" }
        let shown = rows.prefix(limit).map { $0.map { PlainText.printable($0, maximum: 100) } }
        let rest = rows.count > limit ? "  … \(rows.count - limit) more, see --limit\n" : ""
        return "\n\(title):\n" + PlainText.table(Array(shown), indent: "  ") + rest
    }

    private static func cells(_ lone: TwinComparison.Lone) -> [String] {
        let notification = lone.notification
        return [
            notification.trust == .signed ? "V2" : "V1", PlainText.seconds(notification.receivedAt),
            notification.typeText, notification.rawType ?? "-",
            "\(notification.event.bundleId)/\(notification.event.originalTransactionId?.rawValue ?? "-")",
            notification.event.transactionId?.rawValue ?? "-", notification.notificationUUID.rawValue,
            lone.isExpected ? "expected" : "",
        ]
    }

    private static func cells(_ difference: TwinStates.Difference) -> [[String]] {
        let name = "\(difference.purchase.bundleId)/\(difference.purchase.originalTransactionId)"
        return [
            [name, "V2", difference.signed.map(Self.text).joined(separator: ", ")],
            ["", "V1", difference.sharedSecret.map(Self.text).joined(separator: ", ")],
        ]
    }

    private static func text(_ state: TwinStates.State) -> String {
        var text = "\(state.state) \(state.productId)"
        if let until = state.until { text += " until \(PlainText.seconds(until))" }
        if let willRenew = state.willRenew { text += willRenew ? ", renews" : ", does not renew" }
        return text
    }

    // MARK: JSON

    var json: [UInt8] {
        var writer = JSONWriter(reservingCapacity: 4096)
        writer.object { object in
            object.set("same", comparison.isSame)
            object.set("environment", comparison.environment.rawValue)
            object.set("from", comparison.from?.description)
            object.set("to", comparison.to.description)
            object.array("types") { array in for type in types { array.object { Self.write(type, to: &$0) } } }
            object.object("purchases") { purchases in
                let states = comparison.states
                purchases.set("same", Int64(states.same))
                purchases.set("different", Int64(states.differences.count))
                purchases.set("onlySigned", Int64(states.onlySigned))
                purchases.set("onlySharedSecret", Int64(states.onlySharedSecret))
                purchases.set("notComparable", Int64(states.notComparable))
            }
            object.array("unmatched") { array in
                for one in lone.prefix(limit) { array.object { Self.write(one, to: &$0) } }
            }
            object.array("differences") { array in
                for one in comparison.states.differences.prefix(limit) { array.object { Self.write(one, to: &$0) } }
            }
        }
        return writer.bytes
    }

    private static func write(
        _ type: (key: NotificationType, value: TwinComparison.TypeCounts), to object: inout JSONWriter
    ) {
        object.set("notificationType", type.key.rawValue)
        object.set("both", Int64(type.value.both))
        object.set("otherSubtype", Int64(type.value.otherSubtype))
        object.set("onlySigned", Int64(type.value.onlySigned))
        object.set("onlySharedSecret", Int64(type.value.onlySharedSecret))
        object.set("expected", Int64(type.value.expected))
    }

    private static func write(_ lone: TwinComparison.Lone, to object: inout JSONWriter) {
        let notification = lone.notification
        object.set("trust", notification.trust.rawValue)
        object.set("notificationType", notification.event.type.rawValue)
        object.set("subtype", notification.subtype?.rawValue)
        object.set("rawType", notification.rawType)
        object.set("bundleId", notification.event.bundleId.rawValue)
        object.set("originalTransactionId", notification.event.originalTransactionId?.rawValue)
        object.set("transactionId", notification.event.transactionId?.rawValue)
        object.set("notificationUUID", notification.notificationUUID.rawValue)
        object.set("receivedTime", notification.receivedAt.description)
        object.set("isExpected", lone.isExpected)
    }

    private static func write(_ difference: TwinStates.Difference, to object: inout JSONWriter) {
        object.set("bundleId", difference.purchase.bundleId.rawValue)
        object.set("originalTransactionId", difference.purchase.originalTransactionId.rawValue)
        object.array("signed") { array in for state in difference.signed { array.object { write(state, to: &$0) } } }
        object.array("sharedSecret") { array in
            for state in difference.sharedSecret { array.object { write(state, to: &$0) } }
        }
    }

    private static func write(_ state: TwinStates.State, to object: inout JSONWriter) {
        object.set("productId", state.productId.rawValue)
        object.set("state", state.state)
        object.set("isEntitled", state.isEntitled)
        object.set("until", state.until?.description)
        object.set("willRenew", state.willRenew)
    }
}
