internal import AppStoreModel
internal import ArchiveKeys
internal import ArchiveLog
internal import CommandLine
internal import JSON

/// The output of `sluicectl archive erase`, `hold` and `release`.
struct ArchiveDecisionReport {
    struct Line {
        let person: ArchivePerson
        /// The outcome, or nil until the decision has been applied.
        let outcome: ErasureOutcome?

        init(_ person: ArchivePerson, outcome: ErasureOutcome?) {
            self.person = person
            self.outcome = outcome
        }
    }

    let action: ErasureRecord.Action
    let lines: [Line]
    let extent: ArchiveExtent
    /// The time of the erasure, or nil if nothing was erased.
    let at: AppStoreInstant?
    let backupDays: Int

    var text: String {
        let rows = lines.map { line in
            [
                PlainText.printable(line.person.name), "subject \(line.person.mark.hex.prefix(16))…",
                line.keys.isEmpty ? "no key" : "key \(line.keys.map(\.hex).joined(separator: " "))", state(line),
            ]
        }
        return PlainText.table(rows) + extent.text + (backups.map { $0 + "\n" } ?? "")
    }

    var json: JSONObject {
        var object: JSONObject = [
            OutputName.action: .string(action.rawValue),
            OutputName.subjects: .array(
                lines.map { line in
                    .object([
                        OutputName.subject: .string(line.person.mark.hex),
                        OutputName.what: .string(line.person.name),
                        OutputName.keys: .array(line.keys.map { .string($0.hex) }),
                        OutputName.outcome: .string(line.outcome?.outputName ?? "not_done"),
                    ])
                }),
        ]
        object[OutputName.extent] = extent.json
        object[OutputName.unread] = .integer(Int64(extent.unread))
        if let at {
            object[OutputName.at] = .string(at.description)
            object[OutputName.backupsUntil] = .string(backupsUntil(at).description)
        }
        return object
    }

    private func state(_ line: Line) -> String {
        switch (line.outcome, action) {
        case (nil, .erase): line.person.status.keys.isEmpty ? "nothing to destroy" : "would be destroyed"
        case (nil, .hold): "would be held"
        case (nil, .release): line.person.status.hold == nil ? "is not held" : "would be released"
        case (.destroyed, _): "destroyed"
        case (.alreadyDone, _): "already done"
        case (.held, _): "waiting for a hold to end"
        case (.holdBegun, _): "held"
        case (.holdEnded, _): "released"
        }
    }

    private func backupsUntil(_ at: AppStoreInstant) -> AppStoreInstant {
        AppStoreInstant(clampingMillisecondsSince1970: at.millisecondsSince1970 + Int64(backupDays) * 86_400_000)
    }

    /// A note for the requester about key store backups, or nil if nothing was erased.
    private var backups: String? {
        guard let at else { return nil }
        return """
            The keys are gone from the key store. Key store backups from before \(PlainText.seconds(at)) still contain \
            them: the last of these must be deleted by \(PlainText.seconds(backupsUntil(at))) (\(backupDays) days).
            """
    }
}

extension ArchiveDecisionReport.Line {
    /// The keys that were destroyed or would be destroyed.
    var keys: [ArchiveKeyId] {
        outcome.map(\.destroyedKeys) ?? person.status.keys
    }
}

extension ErasureOutcome {
    var destroyedKeys: [ArchiveKeyId] {
        if case .destroyed(let keys) = self { keys } else { [] }
    }

    /// The outcome's name in the JSON output.
    fileprivate var outputName: String {
        switch self {
        case .destroyed: "destroyed"
        case .alreadyDone: "already_done"
        case .held: "held"
        case .holdBegun: "hold_begun"
        case .holdEnded: "hold_ended"
        }
    }
}

extension DataKeyState {
    var isDestroyed: Bool {
        if case .destroyed = self { true } else { false }
    }
}
