internal import AppStoreModel
internal import CommandLine
internal import JSON

/// A `sluicectl doctor` check, with its result.
typealias DoctorFinding = CheckFinding<DoctorCheck>

/// The checks. The raw values are a public contract: they are the values of `what` in the JSON output.
enum DoctorCheck: String {
    case configuration, clock, root, ocsp, api, brokers, topic
    case messageSizes = "message-sizes"
    case dns, connection, tls, authentication, right, port, directory, bucket
}

/// All findings, as text and as JSON.
struct DoctorReport {
    let findings: [DoctorFinding]

    /// Whether there are no problems; warnings are allowed.
    var isGood: Bool { !findings.contains { $0.status == .problem } }

    var text: String {
        PlainText.table(findings.map(\.row)) + "\n\(conclusion)\n"
    }

    private var conclusion: String {
        let counts = [FindingStatus.problem, .warning, .unknown, .skipped].compactMap { status -> String? in
            let count = findings.count { $0.status == status }
            guard count > 0 else { return nil }
            guard status != .skipped, status != .unknown else { return "\(count) \(status.rawValue)" }
            return "\(count) \(status.rawValue)\(count == 1 ? "" : "s")"
        }
        return counts.isEmpty ? "no findings" : counts.joined(separator: ", ")
    }

    var json: JSONObject {
        [OutputName.ok: .bool(isGood), OutputName.findings: .array(findings.map { .object($0.json) })]
    }
}
