internal import AppStoreModel
internal import ArchiveLog
internal import CommandLine
internal import JSON
internal import Kafka
internal import ObjectStorage
internal import TransparencyLog

/// The output of `sluicectl archive verify`.
struct ArchiveVerifyReport {
    private let report: ArchiveReport
    private let kafka: KafkaComparison?
    private let retention: RetentionComparison?
    private let options: VerificationOptions
    private let hasComparedPayloadsBefore: Bool
    let findings: [Finding]

    /// - Parameter hasComparedPayloadsBefore: whether the earlier run that this one continues, if any, compared all
    ///   payloads with their leaves.
    init(
        _ report: ArchiveReport, kafka: KafkaComparison?, retention: RetentionComparison? = nil,
        options: VerificationOptions, hasComparedPayloadsBefore: Bool = true
    ) {
        self.report = report
        self.kafka = kafka
        self.retention = retention
        self.options = options
        self.hasComparedPayloadsBefore = hasComparedPayloadsBefore
        findings = report.findings + (kafka?.findings ?? []) + (retention?.findings ?? [])
    }

    /// The kind of the most severe finding, or nil if there are no findings; see ``ArchiveReport/verdict``.
    var verdict: Finding.Kind? {
        if let verdict = report.verdict, ![.incomplete, .unanchored].contains(verdict) { return verdict }
        let compared = (kafka?.findings ?? []) + (retention?.findings ?? [])
        return compared.contains { $0.kind == .tampered } ? .tampered : report.verdict ?? compared.first?.kind
    }

    /// The number of leaves that an earlier run verified and this one did not read.
    private var leavesBefore: Int {
        report.logs.reduce(report.checkpointLog?.leavesBefore ?? 0) { $0 + $1.leavesBefore }
    }

    /// Whether this run or the earlier one that it continues compared each payload with its leaf.
    var hasComparedAllPayloads: Bool {
        options.checksObjects && options.since == nil && (leavesBefore == 0 || hasComparedPayloadsBefore)
    }

    private var anchors: Int { report.logs.reduce(0) { $0 + $1.anchors } }

    private var outcomes: [(label: String, count: Int)] {
        report.logs.reduce(into: [String: Int]()) { $0.merge($1.outcomes, uniquingKeysWith: +) }
            .sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// The number of payloads for which a key or certificate is missing; see ``ArchivePayloads/missingLabels``.
    private var missing: Int {
        outcomes.reduce(0) { $0 + (ArchivePayloads.missingLabels.contains($1.label) ? $1.count : 0) }
    }

    // MARK: Text

    /// The report as text. Empty logs without findings are counted but not listed, because most dead letter topics are
    /// empty.
    var text: String {
        let heading = ["LOG", "LEAVES", "CHECKPOINT", "RESULT"]
        var text = PlainText.table(
            [heading]
                + shownLogs.map { log in
                    [
                        "\(log.log.prefix)", "\(log.checkpoint?.checkpoint.size ?? 0)",
                        log.checkpoint?.time.map { Self.instant($0) } ?? "not signed", state(log),
                    ]
                })
        for finding in findings {
            text += "\n\(finding.kind.rawValue): \(finding.log)\(Self.place(finding)): "
            text += PlainText.printable(finding.message)
        }
        let more = report.logs.reduce(report.checkpointLog?.moreFindings ?? 0) { $0 + $1.moreFindings }
        if more > 0 { text += "\nand \(more) more" }
        return text + (findings.isEmpty ? "\n" : "\n\n") + summary.map { "\($0)\n" }.joined()
    }

    /// The logs to list: the checkpoint log, and all logs with leaves or findings.
    private var shownLogs: [LogReport] {
        [report.checkpointLog].compactMap(\.self)
            + report.logs.filter { !Self.isEmpty($0) || !findings(about: $0).isEmpty }
    }

    /// Returns a log's findings, including those from the comparisons with Kafka and with the retention records.
    private func findings(about log: LogReport) -> [Finding] { findings.filter { $0.log == log.log.partition } }

    private var summary: [String] {
        func sum(_ count: (LogReport) -> Int) -> Int { report.logs.reduce(0) { $0 + count($1) } }
        var lines = [
            "\(report.logs.count) logs, \(report.logs.count(where: Self.isEmpty)) of them empty, "
                + "\(sum(\.leaves)) leaves, \(sum(\.checkpoints)) earlier checkpoints",
            options.checksObjects
                ? "\(sum(\.objects)) payloads compared with their leaves (\(sum(\.objectBytes)) bytes), "
                    + "\(sum(\.prunedObjects)) deleted after expiry, \(sum(\.erasedOnArrival)) erased on arrival"
                : "no payloads were read",
        ]
        if leavesBefore > 0 {
            lines.append(
                "\(leavesBefore) leaves were verified by an earlier run (--resume-from)"
                    + (hasComparedPayloadsBefore ? "" : ", which did not compare all of their payloads"))
        }
        lines += outcomes.map { "\($0.count) \($0.label)" }
        if options.inspect != nil { lines.append("\(missing) missing") }
        if let retention {
            lines.append("\(retention.segments) deleted segments have retention records")
        }
        if let kafka {
            lines.append("\(kafka.records) records still in Kafka have leaves")
            lines += kafka.absent.map { "Kafka no longer has the topic \($0)" }
        }
        lines += ([report.checkpointLog].compactMap(\.self) + report.logs).filter { $0.strayObjects > 0 }.map(
            Self.strays)
        if report.checkpointLog != nil {
            lines.append(
                "\(sum(\.loggedCheckpoints)) checkpoints in the checkpoint log are consistent with their logs")
        }
        lines += witnessLines
        if options.anchors != nil || options.witnesses == nil { lines += anchorLines }
        let sound = options.verifiers == nil ? "consistent; signatures were not checked (--unsigned)" : "sound"
        lines.append(verdict.map { "NOT SOUND: \($0.rawValue)" } ?? sound)
        return lines
    }

    private static func strays(_ log: LogReport) -> String {
        let beyond = log.leavesBeyond > 0 ? "\(log.leavesBeyond) leaves beyond the checkpoint, " : ""
        let names = log.strayNames.map { PlainText.printable($0.text) }.joined(separator: ", ")
        let more = log.strayObjects > log.strayNames.count ? ", …" : ""
        return "\(log.log.prefix): \(beyond)\(log.strayObjects) objects that the checkpoint does not need "
            + "(for example, left by an interrupted write or a rollback): \(names)\(more)"
    }

    /// Lines about the witnesses' cosignatures, on the checkpoint log or on each log.
    private var witnessLines: [String] {
        guard let policy = options.witnesses else { return [] }
        let logs = report.checkpointLog.map { [$0] } ?? report.logs.filter { !Self.isEmpty($0) }
        return logs.map { log in
            let sizes = log.cosignedSizes.map(String.init).joined(separator: ", ")
            return "\(log.log.prefix): \(log.cosignedSizes.count) of \(policy.witnesses.count) witnesses have cosigned "
                + "\(sizes.isEmpty ? "any" : sizes) of \(log.size) leaves, \(policy.demand)"
        }
            + policy.unavailable.map {
                "cosignatures of \(PlainText.printable($0)) cannot be verified: this libcrypto has no ML-DSA-44"
            }
    }

    /// Lines about checkpoints from outside the archive.
    private var anchorLines: [String] {
        guard let given = options.anchors else {
            return [
                "only internal consistency was checked; set --checkpoint-from to detect a rollback of the whole archive"
            ]
        }
        let filled = report.logs.filter { !Self.isEmpty($0) }
        var lines = [
            "consistent with \(anchors + (report.checkpointLog?.anchors ?? 0)) checkpoints from elsewhere, covering "
                + "\(filled.count { $0.anchoredSize != nil }) of \(filled.count) logs with leaves"
        ]
        lines += given.unverified.sorted { $0.key < $1.key }.map { origin, count in
            "\(count) checkpoints of \(PlainText.printable(origin)) from elsewhere have no known signature: skipped"
        }
        if given.otherNotes > 0 { lines.append("\(given.otherNotes) notes from elsewhere are not checkpoints") }
        lines += report.otherArchives.map { "checkpoints of another archive, not compared: \(PlainText.printable($0))" }
        return lines
    }

    private static func isEmpty(_ log: LogReport) -> Bool { (log.checkpoint?.checkpoint.size ?? 0) == 0 }

    private func state(_ log: LogReport) -> String {
        if let finding = findings(about: log).first { return PlainText.printable(finding.kind.rawValue) }
        return options.verifiers == nil ? "consistent" : "sound"
    }

    private static func place(_ finding: Finding) -> String {
        [
            finding.leaf.map { "leaf \($0)" }, finding.offset.map { "offset \($0)" }, finding.object.map { "\($0)" },
        ].compactMap(\.self).map { ", \($0)" }.joined()
    }

    private static func instant(_ seconds: Int) -> String {
        let (milliseconds, overflows) = Int64(seconds).multipliedReportingOverflow(by: 1000)
        guard !overflows else { return "(unreadable)" }
        return PlainText.seconds(AppStoreInstant(clampingMillisecondsSince1970: milliseconds))
    }

    // MARK: JSON

    var json: JSONObject {
        var object: JSONObject = [
            OutputName.ok: .bool(verdict == nil), OutputName.verdict: verdict.map { .string($0.rawValue) } ?? .null,
            OutputName.signaturesChecked: .bool(options.verifiers != nil),
            OutputName.anchored: .bool(
                (options.anchors != nil || options.witnesses != nil) && report.isAnchored),
            OutputName.logs: .array(report.logs.map { .object(json($0)) }),
            OutputName.findings: .array(findings.map { .object(Self.json($0)) }),
        ]
        if leavesBefore > 0 { object[OutputName.payloadsComparedBefore] = .bool(hasComparedPayloadsBefore) }
        if let log = report.checkpointLog { object[OutputName.checkpointLog] = .object(json(log)) }
        if let anchors = options.anchors {
            object[OutputName.unverifiedAnchors] = .integer(
                Int64(anchors.unverified.values.reduce(anchors.otherNotes, +)))
        }
        if options.inspect != nil {
            let payloads: JSONObject = [OutputName.missing: .integer(Int64(missing))]
            object[OutputName.payloads] = .object(
                outcomes.reduce(into: payloads) { $0[$1.label] = .integer(Int64($1.count)) })
        }
        if let retention { object[OutputName.deletedSegments] = .integer(Int64(retention.segments)) }
        if let kafka { object[OutputName.kafkaRecords] = .integer(Int64(kafka.records)) }
        return object
    }

    private func json(_ log: LogReport) -> JSONObject {
        let origin = log.checkpoint?.checkpoint.origin ?? ""
        return [
            OutputName.topic: .string(log.log.partition.topic.rawValue),
            OutputName.partition: .integer(Int64(log.log.partition.partition.rawValue)),
            OutputName.size: .integer(Int64(log.checkpoint?.checkpoint.size ?? 0)),
            OutputName.root: log.checkpoint.map { .string($0.checkpoint.root.base64) } ?? .null,
            OutputName.signedTime: log.checkpoint?.time.map { .string(Self.instant($0)) } ?? .null,
            // The keys that verify this log's checkpoints, with the names used in the signatures, so that other
            // programs need not derive the names.
            OutputName.keys: .array(options.verifiers?.keys(of: origin).map { .string($0.text) } ?? []),
            OutputName.leaves: .integer(Int64(log.leaves)), OutputName.objects: .integer(Int64(log.objects)),
            OutputName.bytes: .integer(Int64(log.objectBytes)),
            OutputName.prunedObjects: .integer(Int64(log.prunedObjects)),
            OutputName.erasedOnArrival: .integer(Int64(log.erasedOnArrival)),
            OutputName.cosignedSizes: .array(log.cosignedSizes.map { .integer(Int64($0)) }),
            OutputName.leavesBefore: .integer(Int64(log.leavesBefore)),
            OutputName.leavesBeyond: .integer(Int64(log.leavesBeyond)),
            OutputName.strayObjects: .integer(Int64(log.strayObjects)),
            OutputName.loggedCheckpoints: .integer(Int64(log.loggedCheckpoints)),
            OutputName.anchoredSize: log.anchoredSize.map { .integer(Int64($0)) } ?? .null,
            OutputName.checkpoints: .integer(Int64(log.checkpoints)), OutputName.anchors: .integer(Int64(log.anchors)),
            OutputName.ok: .bool(findings(about: log).isEmpty),
        ]
    }

    private static func json(_ finding: Finding) -> JSONObject {
        [
            OutputName.kind: .string(finding.kind.rawValue), OutputName.topic: .string(finding.log.topic.rawValue),
            OutputName.partition: .integer(Int64(finding.log.partition.rawValue)),
            OutputName.object: finding.object.map { .string($0.text) } ?? .null,
            OutputName.leaf: finding.leaf.map { .integer(Int64($0)) } ?? .null,
            OutputName.offset: finding.offset.map { .integer($0.rawValue) } ?? .null,
            OutputName.message: .string(finding.message),
        ]
    }
}
