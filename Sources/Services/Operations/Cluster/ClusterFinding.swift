internal import AppStoreModel
internal import JSON

/// One check of `sluicectl cluster`.
struct ClusterFinding: Equatable {
    /// A contract: the values of `status`.
    enum Status: String {
        case ok, warning
        /// A switch would lose facts or tell something false.
        case problem
    }

    /// A contract: the values of `what`.
    enum Check: String {
        case brokers, topic, copy, certificates, group
    }

    let status: Status
    let check: Check
    /// The topic or group that was checked; nil where there is one only.
    let subject: String?
    let found: String
    /// The action that corrects it; nil when there is nothing to do.
    let fix: String?

    init(_ status: Status, _ check: Check, of subject: String? = nil, _ found: String, fix: String? = nil) {
        self.status = status
        self.check = check
        self.subject = subject
        self.found = found
        self.fix = fix
    }

    var json: JSONValue {
        [
            OutputName.status: .string(status.rawValue), OutputName.what: .string(check.rawValue),
            OutputName.subject: subject.map { .string($0) } ?? .null, OutputName.found: .string(found),
            OutputName.fix: fix.map { .string($0) } ?? .null,
        ]
    }
}

extension [ClusterFinding] {
    /// Whether the cluster may be switched to; warnings are allowed.
    var isReady: Bool { !contains { $0.status == .problem } }

    /// A line for each finding.
    var text: String {
        PlainText.table(
            map { finding in
                let what = finding.check.rawValue + (finding.subject.map { " \($0)" } ?? "")
                let fix = finding.fix.map { "  -> \(PlainText.printable($0))" } ?? ""
                return [
                    finding.status.rawValue, PlainText.printable(what, maximum: 100),
                    PlainText.printable(finding.found) + fix,
                ]
            })
    }
}
