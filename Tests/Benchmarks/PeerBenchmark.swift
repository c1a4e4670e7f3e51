internal import AppStoreModel
internal import AppStoreSigning
internal import Cryptography
internal import Foundation
internal import Simulator

/// Compares published libraries with Sluice on the same notifications, in alternating rounds.
struct PeerBenchmark {
    let probes: Probes
    let pki: TestCertificateAuthority
    let app: SimulatedApp
    let rounds: Int
    /// The directory for downloaded libraries and built programs, which is kept for the next run.
    let directory: String

    private static let notifications = 200

    func run(into report: inout BenchReport) {
        for library in PeerLibrary.all {
            report.section("\(library.package), one core, same notifications")
            do {
                let home = directory + "/" + library.name
                try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
                let command = try library.prepare(home)
                try measure(library, command, into: &report)
            } catch {
                report.skip(library.name, because: "\(error)")
            }
        }
    }

    private func measure(_ library: PeerLibrary, _ command: [String], into report: inout BenchReport) throws {
        let inputs = FileManager.default.temporaryDirectory.appendingPathComponent("sluice-bench-peers-\(getpid())")
        try FileManager.default.createDirectory(at: inputs, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: inputs) }
        let root = inputs.appendingPathComponent("root.der")
        try Data(pki.root.der).write(to: root)
        let notifications = inputs.appendingPathComponent("notifications")
        let lines = try probes.evp.bodies.prefix(Self.notifications).map(Self.line)
        try Data(lines.joined(separator: "\n").utf8).write(to: notifications)
        let arguments = [root.path, notifications.path, app.bundleId.rawValue, "\(app.appAppleId.rawValue)"]
        for mode in library.modes {
            let program = try Conversation(command + arguments + [mode])
            defer { program.end() }
            try measure(library, mode, program, into: &report)
        }
    }

    private func measure(
        _ library: PeerLibrary, _ mode: String, _ program: Conversation, into report: inout BenchReport
    ) throws {
        var floors: [Double] = []
        var costs: [Double] = []
        var ratios: (evp: [Double], tables: [Double]) = ([], [])
        for round in 0..<rounds {
            floors.append(try probes.evp.threeBare(count: VerificationProbe.bodiesPerRound))
            let ours = try probes.evp.whole(round: round)
            let tabled = try probes.tables?.whole(round: round)
            let answer = try program.ask("\(library.bodiesPerRound)")
            guard let seconds = Double(answer) else { throw BenchFailure("it responded \(answer)") }
            let theirs = seconds * 1e6 / Double(library.bodiesPerRound)
            costs.append(theirs)
            ratios.evp.append(theirs / ours)
            if let tabled { ratios.tables.append(theirs / tabled) }
        }
        let name = "\(library.name).\(mode)"
        report.add("\(name).cpu_us", Distribution(costs).median, "us CPU each")
        report.add(
            "\(name).bare", Distribution(zip(costs, floors).map { 3 * $0 / $1 }).median, "bare verifications each")
        report.add(
            "\(name).ratio", Distribution(ratios.evp).median, "x ours", digits: 2,
            bar: library.atLeast.map { .atLeast($0) }, noise: Noise(of: floors))
        if !ratios.tables.isEmpty {
            report.add(
                "\(name).tables_ratio", Distribution(ratios.tables).median, "x ours with tables", digits: 2,
                noise: Noise(of: floors))
        }
    }

    /// Returns the three signed texts in a body.
    private static func line(of body: [UInt8]) throws -> String {
        let texts = try JSONDecoder().decode(Body.self, from: Data(body))
        let segments = texts.signedPayload.split(separator: ".", omittingEmptySubsequences: false)
        guard segments.count == 3, let payload = decoded(segments[1]) else { throw BenchFailure("a body is not a JWS") }
        let data = try JSONDecoder().decode(Payload.self, from: payload).data
        return [texts.signedPayload, data.signedTransactionInfo, data.signedRenewalInfo].joined(separator: "\t")
    }

    private static func decoded(_ segment: Substring) -> Data? {
        let base64 = segment.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        return Data(base64Encoded: base64 + String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4))
    }

    private struct Body: Decodable {
        let signedPayload: String
    }

    private struct Payload: Decodable {
        struct Texts: Decodable {
            let signedTransactionInfo: String
            let signedRenewalInfo: String
        }

        let data: Texts
    }
}
