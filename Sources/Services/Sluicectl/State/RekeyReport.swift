internal import JSON
internal import Kafka

/// The result of `sluicectl state rekey`.
struct RekeyReport {
    let layout: RekeyLayout
    let rows: StateRows
    /// The number of keys whose last record is not in the target.
    var missing: Int
    /// The number of records copied, or nil for a dry run.
    var copied: Int?
    /// Whether the target was refused after copying, although it may have the last record for every key.
    var isRefused = false

    var text: String {
        var text = """
            \(layout.source): \(rows.records) records for \(rows.keys) keys in \(layout.sourcePartitions) partitions
            \(layout.target): \(rows.keys - missing) of these keys, in \(layout.targetPartitions) partitions

            """
        if !rows.split.isEmpty { text += "\(rows.split.count) keys were in several partitions\n" }
        if rows.skipped > 0 {
            text +=
                "\(rows.skipped) records were left out: they have no key, or another program wrote them to the wrong "
                + "partition\n"
        }
        if let copied { text += "\(copied) records were copied; the last one for each key was compared\n" }
        return text
    }

    var json: [UInt8] {
        let object: JSONObject = [
            OutputName.ok: .bool(missing == 0 && !isRefused), OutputName.topic: .string(layout.source.rawValue),
            OutputName.toTopic: .string(layout.target.rawValue),
            OutputName.partitions: .array([
                .integer(Int64(layout.sourcePartitions)), .integer(Int64(layout.targetPartitions)),
            ]),
            OutputName.records: .integer(Int64(rows.records)), OutputName.keys: .integer(Int64(rows.keys)),
            OutputName.split: .integer(Int64(rows.split.count)), OutputName.omitted: .integer(Int64(rows.skipped)),
            OutputName.missing: .integer(Int64(missing)), OutputName.copied: .integer(Int64(copied ?? 0)),
        ]
        return JSONValue.object(object).json
    }
}
