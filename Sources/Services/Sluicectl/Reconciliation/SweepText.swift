internal import AppStoreModel
internal import CommandLine
internal import Reconciliation
internal import Records

/// Formats sweeps as text.
enum SweepText {
    static func table(_ sweeps: [Sweep]) -> String {
        guard !sweeps.isEmpty else { return "none\n" }
        let head = [
            "APP", "ENVIRONMENT", "SWEEP", "STATE", "LAST COMPLETE", "SWEPT", "MISSING", "PUBLISHED", "QUARANTINED",
            "REFUSED", "UNKNOWN", "DIFFER", "REPAIRED", "NEXT",
        ]
        return PlainText.table(
            [head]
                + sweeps.map { sweep in
                    let counts = sweep.last?.counts
                    // A status sweep finds differences; all other sweeps find missing notifications.
                    let (found, differing) = sweep.kind == .statuses ? (nil, counts) : (counts, nil)
                    return [
                        PlainText.printable(sweep.bundleId.rawValue), sweep.environment.topicSuffix, sweep.kind.text,
                        state(sweep), moment(sweep.last?.finishedAt), number(counts?.swept), number(found?.missing),
                        number(found?.published), number(found?.quarantined), number(counts?.refused),
                        number(counts?.unknown), number(differing?.differing), number(differing?.repaired),
                        moment(sweep.due.flatMap { $0 > 0 ? $0 : nil }),
                    ]
                })
    }

    /// Lists failures, missing notifications and differences.
    static func details(_ sweeps: [Sweep]) -> String {
        var text = ""
        for sweep in sweeps {
            let name =
                "\(PlainText.printable(sweep.bundleId.rawValue)) \(sweep.environment.topicSuffix) \(sweep.kind.text)"
            if let failure = sweep.run?.failure {
                text += "\n\(name) waiting since \(moment(failure.at)): \(PlainText.printable(failure.message))\n"
            }
            if sweep.kind.isBackfill, let request = sweep.request {
                text += "\n\(name): from \(moment(request.range.from)) to \(moment(request.range.to))"
                text += request.isDryRun ? ", a dry run: nothing is published\n" : "\n"
            }
            guard let last = sweep.last else { continue }
            if !last.differences.isEmpty {
                text += "\n\(name): the first \(last.differences.count) of \(last.counts.differing) that differ from "
                text += "Apple's statuses:\n" + StatusText.table(last.differences, indent: "  ")
            }
            if !last.unread.isEmpty {
                text += "\n\(name): the first \(last.unread.count) of \(last.counts.unread) windows that were not read "
                text += "(read them again with: sluicectl backfill --app … --from … --to …):\n"
                text += PlainText.table(last.unread.map { [moment($0.from), moment($0.to)] }, indent: "  ")
            }
            guard !last.missing.isEmpty else { continue }
            text += "\n\(name): missing notifications, the first \(last.missing.count) of \(last.counts.missing):\n"
            text += PlainText.table(
                last.missing.map {
                    [
                        PlainText.seconds($0.signedDate), PlainText.printable($0.notificationType.rawValue),
                        PlainText.printable($0.notificationUUID.rawValue),
                    ]
                }, indent: "  ")
        }
        return text
    }

    /// Formats progress: `[##########----------] 50%  calls 120, swept 2400, missing 12`.
    static func bar(_ run: SweepRun) -> String {
        let share = run.progress?.share ?? 1
        let filled = Int(share * 20)
        let bar = String(repeating: "#", count: filled) + String(repeating: "-", count: 20 - filled)
        return "[\(bar)] \(Int(share * 100))%  calls \(run.counts.calls), swept \(run.counts.swept), "
            + "missing \(run.counts.missing)"
    }

    private static func state(_ sweep: Sweep) -> String {
        guard let run = sweep.run else { return sweep.isToEnd ? "ending" : "waiting" }
        if run.failure != nil { return "failing" }
        guard let progress = run.progress else { return run.isCancelled ? "cancelled" : "complete" }
        guard !sweep.isToEnd else { return "ending" }
        // The total of a status sweep is not known in advance.
        if sweep.kind == .statuses { return "\(run.counts.swept) compared" }
        return "\(Int(progress.share * 100))%"
    }

    private static func number(_ count: Int64?) -> String { count.map(String.init) ?? "-" }

    private static func moment(_ milliseconds: Int64?) -> String {
        milliseconds.map { PlainText.seconds(AppStoreInstant(clampingMillisecondsSince1970: $0)) } ?? "-"
    }
}
