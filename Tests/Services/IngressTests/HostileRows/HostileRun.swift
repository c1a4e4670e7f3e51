import AppStoreTestSupport
import Foundation
import Kafka
import Records
import Telemetry
import TestSupport
import Testing

@testable import Ingress

/// Sends inputs to one ingress, checks each response and the count of its reason, and tracks the records expected in
/// Kafka.
final class HostileRun {
    /// One record, identified by its source: Apple's JWS, or the whole body in quarantine.
    struct Record: Hashable, CustomStringConvertible {
        let kafka: Outcome.Kafka
        let identity: [UInt8]
        var description: String { "\(kafka.rawValue) \(String(decoding: identity.suffix(24), as: UTF8.self))" }
    }

    let harness: IngressHarness
    /// Outcomes of the inputs of each row.
    private(set) var outcomes: [String: Set<Outcome>] = [:]
    private(set) var inputs = 0
    private var connection: TestConnection
    private var decisions: [String: Int] = [:]
    private var records: [Record: String] = [:]
    /// Records that may or may not be present.
    private var possible: Set<Record> = []

    init(_ harness: IngressHarness) throws {
        self.harness = harness
        connection = try connect(harness)
    }

    // MARK: inputs

    /// Posts a body on the shared connection for as long as it is kept open.
    ///
    /// - Parameter counts: whether the decision must be counted before the next input; otherwise the caller checks
    ///   the counts.
    func post(
        _ body: [UInt8], _ row: String, _ title: String, _ outcome: Outcome, counts: Bool = true
    ) async throws {
        connection.send(Self.head(of: body))
        connection.send(body)
        do {
            check(try connection.response(), outcome, "\(row) \(title)")
            if outcome.closes { #expect(connection.isClosedByPeer(), "\(row) \(title)") }
        } catch {
            Issue.record("\(row) \(title): \(error)")
            connection = try connect(harness)
        }
        if outcome.closes { connection = try connect(harness) }
        note(row, outcome)
        expectRecord(of: body, outcome, "\(row) \(title)")
        if counts { await expectCounts("\(row) \(title)") }
    }

    /// Sends raw bytes on a separate connection.
    func send(_ request: HostileRequest) async throws {
        let client = try connect(harness)
        deliver(request, to: client)
        for (index, verdict) in request.answers.enumerated() {
            let closes = request.isClosed && index == request.answers.count - 1
            let outcome = Outcome(listener: verdict, closes: closes)
            check(try answer(client), outcome, "\(request)", halfClosed: request.isHalfClosed)
            note(request.id, outcome)
            // The body is not a notification, so the requests pipelined after it are ignored.
            if outcome.closes { break }
        }
        #expect(client.isClosedByPeer(), "\(request)")
        await expectCounts("\(request)")
    }

    private func deliver(_ request: HostileRequest, to client: TestConnection) {
        switch request.delivery {
        case .whole, .reset: client.send(request.bytes)
        case .byteByByte: for byte in request.bytes { client.send([byte]) }
        case .cut(let count):
            client.send(Array(request.bytes[..<count]))
            client.send(Array(request.bytes[count...]))
        case .halfClosed:
            client.send(request.bytes)
            client.endOutput()
        }
    }

    /// Returns the next response other than `100 Continue`.
    func answer(_ client: TestConnection) throws -> TestConnection.Response {
        while true {
            let response = try client.response()
            if response.status != 100 { return response }
        }
    }

    // MARK: expected outcomes

    /// Records the outcome of an input of a row.
    func note(_ row: String, _ outcome: Outcome) {
        inputs += 1
        outcomes[row, default: []].insert(outcome)
        count(outcome)
    }

    /// Counts one decision.
    func count(_ outcome: Outcome) { decisions["\(outcome.reason) \(outcome.status)", default: 0] += 1 }

    func expectRecord(of body: [UInt8], _ outcome: Outcome, _ title: String) {
        switch outcome.kafka {
        case .nothing, .noNewRecord: return
        case .quarantine: records[Record(kafka: .quarantine, identity: body)] = title
        case .main, .sandbox: records[Record(kafka: outcome.kafka, identity: Self.signedPayload(body))] = title
        }
    }

    func allowRecord(of body: [UInt8]) { possible.insert(Record(kafka: .main, identity: Self.signedPayload(body))) }

    /// Checks the status of a response, and that the response repeats nothing from the request.
    ///
    /// - Parameter halfClosed: whether the client closed its output. The end of the input may be read before or after
    ///   the response is written. Only in the first case does the response announce the close.
    func check(
        _ response: TestConnection.Response, _ outcome: Outcome, _ title: String, halfClosed: Bool = false
    ) {
        #expect(response.status == outcome.status, "\(title)")
        #expect(response.body.isEmpty, "\(title)")
        let lines = response.head.split(separator: "\r\n").dropFirst()
        let closing = lines.contains("Connection: close")
        if !halfClosed { #expect(closing == outcome.closes, "\(title)") }
        for line in lines where !["Content-Length: 0", "Connection: close", "Allow: POST"].contains(line) {
            #expect(line.hasPrefix("Date: ") && line.utf8.count == 35, "\(title): \(line)")
        }
    }

    /// Checks that exactly one decision was counted for each response so far, by reason and status.
    func expectCounts(_ title: String) async {
        let isRight = await eventually(within: .seconds(5)) { harness.allDecisions() == decisions }
        guard !isRight else { return }
        let counted = harness.allDecisions()
        Issue.record("\(title): counted \(difference(counted, decisions)), expected \(difference(decisions, counted))")
        decisions = counted
    }

    private func difference(_ some: [String: Int], _ others: [String: Int]) -> [String: Int] {
        some.filter { $0.value > others[$0.key] ?? 0 }
    }

    /// Checks that the three topics contain exactly the expected records.
    func checkRecords() async throws {
        var held: [Record: Int] = [:]
        for record in try await harness.records(harness.topics.quarantine) {
            held[Record(kafka: .quarantine, identity: record.value ?? []), default: 0] += 1
        }
        let headers = try await harness.headers()
        for (topic, kafka) in [(harness.production, Outcome.Kafka.main), (harness.sandbox, .sandbox)] {
            for record in try await harness.records(topic) {
                let rebuilt = try NotificationRecord(record).rebuild { headers[$0] }
                held[Record(kafka: kafka, identity: rebuilt), default: 0] += 1
            }
        }
        for (record, title) in records where held[record] != 1 {
            Issue.record("\(title): \(held[record] ?? 0) records instead of one")
        }
        for record in held.keys where records[record] == nil && !possible.contains(record) {
            Issue.record("an unexplained record: \(record)")
        }
    }

    var expectedRecords: Int { records.count }

    // MARK: requests and bodies

    static func head(of body: [UInt8], _ fields: String = "") -> String {
        "POST /notifications HTTP/1.1\r\nHost: a\r\n\(fields)Content-Length: \(body.count)\r\n\r\n"
    }

    private struct Posted: Decodable {
        let signedPayload: String
    }

    /// Returns the JWS in a body; empty if there is none, which matches no record.
    private static func signedPayload(_ json: [UInt8]) -> [UInt8] {
        (try? JSONDecoder().decode(Posted.self, from: Data(json))).map { Array($0.signedPayload.utf8) } ?? []
    }
}

func connect(_ harness: IngressHarness) throws -> TestConnection { try TestConnection(port: harness.ingress.port) }

extension IngressHarness {
    /// Returns every count of `sluice_ingress_decisions_total`, by `reason status`.
    func allDecisions() -> [String: Int] {
        var counts: [String: Int] = [:]
        for line in metrics.prometheusText().split(separator: UInt8(ascii: "\n"))
        where line.starts(with: "sluice_ingress_decisions_total{".utf8) {
            let parts = String(decoding: line, as: UTF8.self).split(separator: "\"")
            guard parts.count == 5, let count = Int(parts[4].dropFirst(2)) else { continue }
            counts["\(parts[1]) \(parts[3])"] = count
        }
        return counts
    }
}
