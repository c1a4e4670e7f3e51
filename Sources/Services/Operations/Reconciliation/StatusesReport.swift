internal import AppStoreModel
internal import JSON

/// What a comparison of subscriptions with Apple's statuses came to.
struct StatusesReport: Sendable {
    var differences: [StatusDifference] = []
    /// Subscriptions about which Apple was asked and answered.
    var compared = 0
    /// Those about which it could not be asked.
    var failed = 0

    var isGood: Bool { differences.isEmpty && failed == 0 }

    var text: String {
        var text = ""
        if !differences.isEmpty {
            let rows = differences.map { difference in
                [
                    difference.published.originalTransactionId.rawValue, difference.kind.rawValue,
                    difference.published.state ?? "-",
                    difference.status.map(Self.name) ?? "-", difference.published.transactionId?.rawValue ?? "-",
                    difference.latest?.rawValue ?? "-", difference.published.awaitsConfirmation ? "waits" : "",
                ].map { PlainText.printable($0) }
            }
            text += PlainText.table(
                [["PURCHASE", "DIFFERS IN", "PUBLISHED", "APPLE", "TRANSACTION", "LATEST", ""]] + rows)
            text += "\n"
        }
        text += "\(compared) subscriptions compared, \(differences.count) differ"
        return text + (failed > 0 ? ", about \(failed) Apple could not be asked\n" : "\n")
    }

    var json: [UInt8] {
        var writer = JSONWriter()
        writer.object { object in
            object.set("compared", Int64(compared))
            object.set("failed", Int64(failed))
            object.array("differences") { array in
                for difference in differences {
                    array.object { row in
                        row.set("originalTransactionId", difference.published.originalTransactionId.rawValue)
                        row.set("difference", difference.kind.rawValue)
                        row.set("state", difference.published.state)
                        row.set("isEntitled", difference.published.isEntitled)
                        row.set("transactionId", difference.published.transactionId?.rawValue)
                        row.set("status", difference.status?.rawValue)
                        row.set("latestTransactionId", difference.latest?.rawValue)
                        if difference.published.awaitsConfirmation { row.set("awaitsConfirmation", true) }
                    }
                }
            }
        }
        return writer.bytes
    }

    private static func name(_ status: SubscriptionStatus) -> String {
        switch status {
        case .active: "active"
        case .expired: "expired"
        case .billingRetry: "billing retry"
        case .billingGracePeriod: "grace period"
        case .revoked: "revoked"
        default: "\(status.rawValue)"
        }
    }
}
