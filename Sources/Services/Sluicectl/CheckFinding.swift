internal import AppStoreModel
internal import CommandLine
internal import JSON

/// A check made by a diagnostic command, and the result. The raw values of `Check` are a public contract: they are the
/// values of `what` in the JSON output.
struct CheckFinding<Check: RawRepresentable & Equatable>: Equatable where Check.RawValue == String {
    let status: FindingStatus
    let check: Check
    /// The topic, group or certificate that was checked, or nil if the check has only one possible subject.
    let subject: String?
    let found: String
    /// The corrective action, or nil if none is needed.
    let fix: String?

    init(_ status: FindingStatus, _ check: Check, of subject: String? = nil, _ found: String, fix: String? = nil) {
        self.status = status
        self.check = check
        self.subject = subject
        self.found = found
        self.fix = fix
    }

    var json: JSONObject {
        [
            OutputName.status: .string(status.rawValue), OutputName.what: .string(check.rawValue),
            OutputName.subject: subject.map { .string($0) } ?? .null, OutputName.found: .string(found),
            OutputName.fix: fix.map { .string($0) } ?? .null,
        ]
    }

    /// The check as a row in the text table.
    var row: [String] {
        let what = check.rawValue.replacing("-", with: " ") + (subject.map { " \($0)" } ?? "")
        let fix = fix.map { "  -> \(PlainText.printable($0))" } ?? ""
        return [status.rawValue, PlainText.printable(what, maximum: 100), PlainText.printable(found) + fix]
    }
}

/// The result of a check. The raw values are a public contract: they are the values of `status` in the JSON output.
enum FindingStatus: String {
    case ok, warning, problem
    /// The check was skipped: it does not apply or was not requested. `found` gives the reason.
    case skipped
    /// The check could not be made; `found` gives the reason.
    case unknown
}
