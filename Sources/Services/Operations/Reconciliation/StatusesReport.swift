internal import JSON
internal import Reconciliation

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
            text += StatusText.table(differences)
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
                    array.object { difference.write(to: &$0) }
                }
            }
        }
        return writer.bytes
    }
}
