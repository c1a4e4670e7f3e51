internal import AppStoreModel
internal import CommandLine
internal import JSON

/// Formats a history as text.
enum HistoryText {
    static func text(_ answer: JSONObject) -> String {
        JSONCells.objects(answer["purchases"]).map(purchase).joined(separator: "\n")
    }

    private static func purchase(_ purchase: JSONObject) -> String {
        var text = PurchasesText.identity(purchase)
        let transitions = JSONCells.objects(purchase["transitions"])
        if !transitions.isEmpty {
            text +=
                "\n"
                + PlainText.table(
                    [["AT", "FROM", "TO", "BY", "NOTIFICATION"]]
                        + transitions.map { transition in
                            let cause = transition["cause"]?.object ?? JSONObject()
                            return [
                                JSONCells.instant(transition["at"]) ?? "-", JSONCells.cell(transition["from"]),
                                JSONCells.cell(transition["to"]), type(of: cause),
                                JSONCells.cell(cause["notificationUUID"]),
                            ]
                        })
        }
        let events = JSONCells.objects(purchase["events"])
        guard !events.isEmpty else { return text }
        return text + "\n"
            + PlainText.table(
                [["SIGNED", "TYPE", "STATUS", "TRANSACTION", "NOTIFICATION"]]
                    + events.map { event in
                        [
                            JSONCells.instant(event["signedDate"]) ?? "-", type(of: event),
                            JSONCells.cell(event["status"]), JSONCells.cell(event["transactionId"]),
                            JSONCells.cell(event["notificationUUID"]),
                        ]
                    })
    }

    private static func type(of event: JSONObject) -> String {
        let type = JSONCells.cell(event["notificationType"])
        return event["subtype"] == nil ? type : "\(type)/\(JSONCells.cell(event["subtype"]))"
    }
}
