internal import AppStoreModel
internal import CommandLine
internal import JSON

/// Formats the read API's response as text. A missing member is printed as a dash.
enum EntitlementsText {
    static func text(_ answer: JSONObject) -> String {
        var text = heading(answer)
        let grants = objects(answer["grants"]) + objects(answer["inactive"])
        if !grants.isEmpty {
            text +=
                "\n"
                + PlainText.table(
                    [["ENTITLEMENT", "HOLDS", "STATE", "UNTIL", "RENEWS", "PRODUCT", "PURCHASE"]]
                        + grants.map(row))
        }
        let balances = objects(answer["balances"])
        if !balances.isEmpty {
            text +=
                "\n"
                + PlainText.table(
                    [["CONSUMABLE", "CREDITED", "DEBITED", "NET"]]
                        + balances.map { balance in
                            ["productId", "creditedUnits", "debitedUnits", "netUnits"].map { cell(balance[$0]) }
                        })
        }
        let reports = objects(answer["reports"])
        if !reports.isEmpty {
            text +=
                "\n"
                + PlainText.table(
                    [["TRANSACTION", "PROBLEM"]]
                        + reports.map { [cell($0["transactionId"]), cell($0["problem"])] })
        }
        if let change = instant(answer["nextChange"]) { text += "\nnext change  \(change)\n" }
        if let moment = instant(answer["knownSince"]) {
            text += "\nearlier periods are not stored; first seen  \(moment)\n"
        }
        if answer["trust"]?.string == "shared-secret" {
            text += "\nbased on version 1 notifications, which only a shared secret authenticates\n"
        }
        if objects(answer["purchases"]).contains(where: { $0["awaitsConfirmation"]?.bool == true }) {
            text += "\nversion 1 notifications with further facts are waiting for Apple's confirmation\n"
        }
        return text
    }

    private static func heading(_ answer: JSONObject) -> String {
        let active = (answer["active"]?.array ?? []).compactMap(\.string).map { PlainText.printable($0) }
        var rows: [[String]] = []
        for name in ["appAccountToken", "originalTransactionId", "appTransactionId", "transactionId"] {
            if let value = answer[name] { rows.append([name, cell(value)]) }
        }
        rows.append(["environment", cell(answer["environment"])])
        rows.append(["active", active.isEmpty ? "none" : active.joined(separator: ", ")])
        return PlainText.table(rows)
    }

    private static func row(_ grant: JSONObject) -> [String] {
        [
            cell(grant["entitlement"]), cell(grant["isEntitled"]), cell(grant["state"]),
            instant(grant["until"]) ?? "-", cell(grant["willRenew"]), cell(grant["productId"]),
            cell(grant["originalTransactionId"]),
        ]
    }

    private static func objects(_ value: JSONValue?) -> [JSONObject] { JSONCells.objects(value) }
    private static func instant(_ value: JSONValue?) -> String? { JSONCells.instant(value) }
    private static func cell(_ value: JSONValue?) -> String { JSONCells.cell(value) }
}
