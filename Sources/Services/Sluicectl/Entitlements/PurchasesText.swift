internal import AppStoreModel
internal import CommandLine
internal import JSON

/// Formats purchases as text.
enum PurchasesText {
    static func text(_ answer: JSONObject) -> String {
        let purchases = JSONCells.objects(answer["purchases"])
        guard !purchases.isEmpty else { return "none\n" }
        var text = PlainText.table(
            [["APP", "PURCHASE", "ACCOUNT", "STATE", "PRODUCT", "ACTIVE", "LAST SIGNED"]]
                + purchases.map { purchase in
                    [
                        JSONCells.cell(purchase["bundleId"]), JSONCells.cell(purchase["originalTransactionId"]),
                        JSONCells.cell(purchase["appAccountToken"]), JSONCells.cell(purchase["state"]),
                        JSONCells.cell(purchase["productId"]), JSONCells.texts(purchase["active"]),
                        JSONCells.instant(purchase["latestSignedDate"]) ?? "-",
                    ]
                })
        if let next = answer["next"]?.string { text += "\nmore after  \(PlainText.printable(next))\n" }
        return text
    }

    /// Formats the identifiers of a purchase, one per line.
    static func identity(_ purchase: JSONObject) -> String {
        var rows: [[String]] = []
        for name in [
            "environment", "bundleId", "originalTransactionId", "appAccountToken", "appTransactionId",
            "previousOriginalTransactionId",
        ] where purchase[name] != nil {
            rows.append([name, JSONCells.cell(purchase[name])])
        }
        if purchase["migratedTo"] != nil { rows.append(["migratedTo", JSONCells.texts(purchase["migratedTo"])]) }
        if let erasedAt = JSONCells.instant(purchase["erasedAt"]) { rows.append(["erasedAt", erasedAt]) }
        return PlainText.table(rows)
    }
}
