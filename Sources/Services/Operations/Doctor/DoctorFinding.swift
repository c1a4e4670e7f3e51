internal import AppStoreModel
internal import JSON

/// One check of `sluicectl doctor`.
struct DoctorFinding: Equatable {
    /// A contract: the values of `status`.
    enum Status: String {
        case ok, warning, problem
        /// Not checked; `found` says why.
        case skipped
    }

    /// A contract: the values of `what`.
    enum Check: String {
        case configuration, clock, root, ocsp, api, brokers, topic
        case messageSizes = "message-sizes"
    }

    let status: Status
    let check: Check
    /// Which one, where there are several: a topic, a certificate.
    let subject: String?
    let found: String
    /// What to do; nil when there is nothing to do.
    let fix: String?

    init(_ status: Status, _ check: Check, of subject: String? = nil, _ found: String, fix: String? = nil) {
        self.status = status
        self.check = check
        self.subject = subject
        self.found = found
        self.fix = fix
    }
}

/// All findings, as text and as JSON.
struct DoctorReport {
    let findings: [DoctorFinding]

    /// Whether there is no problem; warnings are allowed.
    var isGood: Bool { !findings.contains { $0.status == .problem } }

    var text: String {
        let rows = findings.map { finding in
            let what = finding.check.rawValue.replacing("-", with: " ") + (finding.subject.map { " \($0)" } ?? "")
            let fix = finding.fix.map { "  -> \(PlainText.printable($0))" } ?? ""
            return [
                finding.status.rawValue, PlainText.printable(what, maximum: 80),
                PlainText.printable(finding.found) + fix,
            ]
        }
        return PlainText.table(rows) + "\n\(conclusion)\n"
    }

    private var conclusion: String {
        let counts = [DoctorFinding.Status.problem, .warning, .skipped].compactMap { status -> String? in
            let count = findings.count { $0.status == status }
            guard count > 0 else { return nil }
            return status == .skipped ? "\(count) skipped" : "\(count) \(status.rawValue)\(count == 1 ? "" : "s")"
        }
        return counts.isEmpty ? "no findings" : counts.joined(separator: ", ")
    }

    var json: JSONObject {
        [OutputName.ok: .bool(isGood), OutputName.findings: .array(findings.map { .object($0.json) })]
    }
}

extension DoctorFinding {
    var json: JSONObject {
        [
            OutputName.status: .string(status.rawValue), OutputName.what: .string(check.rawValue),
            OutputName.subject: subject.map { .string($0) } ?? .null, OutputName.found: .string(found),
            OutputName.fix: fix.map { .string($0) } ?? .null,
        ]
    }
}
