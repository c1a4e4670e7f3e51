import Glibc
import JSONTestSupport
import Kafka
import TestSupport
import Testing

@testable import OperatorEvents

/// The record of an operator event, as described by `deploy/operator-event.schema.json` and CloudEvents 1.0.
@Suite struct OperatorEventTests {
    private static let member = OperatorEventMember(
        executable: "sluice-webhooks", instance: "webhooks-1:4242", release: "0.2.0")
    private static let id = "4bf92f3577b34da6a3ce929d0e0e4736"
    // 2026-11-27T09:00:00Z, from date -d 2026-11-27T09:00:00Z +%s.
    private static let moment: Int64 = 1_795_770_000_000

    private func schema() throws -> JSONSchema { try JSONSchema.deployed("operator-event.schema.json") }

    @Test func `an event has the documented value`() throws {
        let event = OperatorEvent(
            .memberStarted, subject: "group \"a\"",
            data: ["text": .text("x"), "absent": nil, "count": .integer(-7), "isOn": .boolean(true)], id: Self.id,
            atMilliseconds: Self.moment)
        let json = event.json(from: Self.member)
        #expect(
            String(decoding: json, as: UTF8.self)
                == #"{"version":1,"id":"4bf92f3577b34da6a3ce929d0e0e4736","type":"dev.sluice.member.started","#
                + #""severity":"info","time":"2026-11-27T09:00:00.000Z","executable":"sluice-webhooks","#
                + #""instance":"webhooks-1:4242","release":"0.2.0","subject":"group \"a\"","#
                + #""data":{"text":"x","count":-7,"isOn":true}}"#)
        #expect(try schema().faults(in: json) == [])
        #expect(try schema().unnamedMembers(of: json) == [])
    }

    @Test func `a record is a CloudEvent in binary mode, under the member's name`() throws {
        let event = OperatorEvent(.memberStopped, subject: "crm", id: Self.id, atMilliseconds: Self.moment)
        let record = event.produced(to: "test.operations", from: Self.member)
        #expect(record.topic == "test.operations")
        #expect(record.key == Array("sluice-webhooks/webhooks-1:4242".utf8))
        #expect(record.value == event.json(from: Self.member))
        #expect(
            record.headers.map { "\($0.key)=\($0.text ?? "")" } == [
                "ce_specversion=1.0", "ce_id=\(Self.id)", "ce_type=dev.sluice.member.stopped",
                "ce_source=/sluice/sluice-webhooks/webhooks-1:4242", "ce_subject=crm",
                "ce_time=2026-11-27T09:00:00.000Z", "content-type=application/json", "ce_severity=info",
            ])
        let plain = OperatorEvent(.memberStopped, id: Self.id, atMilliseconds: Self.moment)
            .produced(to: "test.operations", from: Self.member)
        #expect(!plain.headers.contains { $0.key == "ce_subject" })
    }

    @Test(arguments: OperatorEventType.allCases) func `the schema rejects a different severity for the type`(
        _ type: OperatorEventType
    ) throws {
        let text = String(
            decoding: OperatorEvent(type, id: Self.id, atMilliseconds: Self.moment).json(from: Self.member),
            as: UTF8.self)
        for severity in OperatorEventSeverity.allCases where severity != type.severity {
            let other = text.replacing(#""severity":"\#(type.severity)""#, with: #""severity":"\#(severity)""#)
            #expect(try !schema().faults(in: Array(other.utf8)).isEmpty)
        }
    }

    @Test(arguments: [
        ("web-1.example.com", "web-1.example.com"), ("a/b c", "a-b-c"), ("ü", "--"), ("", "unknown"),
    ])
    func `a host name is one component of the source`(_ name: String, _ component: String) {
        #expect(OperatorEventMember.pathComponent(name.utf8) == component)
    }

    @Test func `two processes are two instances`() {
        let instance = OperatorEventMember.current(executable: "sluice-ingress").instance
        #expect(instance.hasSuffix(":\(getpid())"))
        #expect(!instance.hasPrefix(":"))
    }
}
