internal import AppStoreModel
internal import JSON

/// Chains for people.
enum ChainsText {
    static func text(_ answer: JSONObject) -> String {
        let chains = JSONCells.objects(answer["chains"])
        guard !chains.isEmpty else { return "none\n" }
        var text = PlainText.table(
            [["APP", "PURCHASE", "ACCOUNT", "STATE", "PRODUCT", "ACTIVE", "LAST SIGNED"]]
                + chains.map { chain in
                    [
                        JSONCells.cell(chain["bundleId"]), JSONCells.cell(chain["originalTransactionId"]),
                        JSONCells.cell(chain["appAccountToken"]), JSONCells.cell(chain["state"]),
                        JSONCells.cell(chain["productId"]), JSONCells.texts(chain["active"]),
                        JSONCells.instant(chain["latestSignedDate"]) ?? "-",
                    ]
                })
        if let next = answer["next"]?.string { text += "\nmore after  \(PlainText.printable(next))\n" }
        return text
    }

    /// Whose chain it is.
    static func identity(_ chain: JSONObject) -> String {
        var rows: [[String]] = []
        for name in [
            "environment", "bundleId", "originalTransactionId", "appAccountToken", "appTransactionId",
            "previousOriginalTransactionId",
        ] where chain[name] != nil {
            rows.append([name, JSONCells.cell(chain[name])])
        }
        if chain["migratedTo"] != nil { rows.append(["migratedTo", JSONCells.texts(chain["migratedTo"])]) }
        if let erasedAt = JSONCells.instant(chain["erasedAt"]) { rows.append(["erasedAt", erasedAt]) }
        return PlainText.table(rows)
    }
}
