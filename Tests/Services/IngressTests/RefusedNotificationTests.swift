import AppStoreSigning
import AppStoreVerification
import Cryptography
import Foundation
import HTTPClient
import Kafka
import KafkaDevBroker
import Primitives
import Records
import Telemetry
import TestSupport
import Testing

@testable import Ingress

/// Input that is not authentic or not for a configured app. Each gets a status and a counted reason, and leaves no
/// record.
@Suite(.timeLimit(.minutes(5))) struct RefusedNotificationTests {
    private static let shared = Result { try DevBroker() }
    private let broker: DevBroker
    private let appStore: TestAppStore

    init() throws {
        broker = try Self.shared.get()
        appStore = try TestAppStore.shared()
    }

    private struct Case {
        let body: [UInt8]
        let status: Int
        let reason: String

        init(_ body: [UInt8], _ status: Int, _ reason: String) {
            self.body = body
            self.status = status
            self.reason = reason
        }

        init(_ body: String, _ status: Int, _ reason: String) { self.init(Array(body.utf8), status, reason) }
    }

    private func malformed() throws -> [Case] {
        let jws = try appStore.renewal()
        let parts = jws.split(separator: ".").map(String.init)
        return [
            Case("", 400, "empty"), Case("x", 400, "json"), Case("{}x", 400, "json"), Case("[]", 400, "json_shape"),
            Case("{}", 400, "json_shape"), Case(#"{"signedPayload":1}"#, 400, "json_shape"),
            Case(#"{"signedPayload":"a","signedPayload":"a"}"#, 400, "json_dup"),
            Case(Array(#"{"signedPayload":"#.utf8) + [0x22, 0xff, 0x22, 0x7d], 400, "json"),
            Case(TestAppStore.body("a.b"), 400, "jws_form"),
            Case(TestAppStore.body(jws + "="), 400, "jws_b64"),
            Case(TestAppStore.body("e30.\(parts[1]).\(parts[2])"), 400, "alg"),
            Case(TestAppStore.body("\(parts[0]).\(parts[1]).AAAA"), 400, "jws_sig_len"),
        ]
    }

    private func forged() throws -> [Case] {
        let jws = try appStore.renewal()
        let parts = jws.split(separator: ".").map(String.init)
        let key = appStore.untrusted.leafKey
        let transaction = try JWSSigner(appStore.pki).sign(TestAppStore.Draft().transaction)
        var other = TestAppStore.Draft()
        other.bundleId = "com.example.other"
        var number = TestAppStore.Draft()
        number.appAppleId = 1
        return [
            Case(TestAppStore.body(try appStore.renewal(by: JWSSigner(appStore.untrusted))), 403, "chain_root"),
            Case(
                TestAppStore.body(
                    try appStore.renewal(by: JWSSigner(header: JWSSigner.header(chain: appStore.pki.chain), key: key))),
                403, "signature"),
            Case(
                TestAppStore.body("\(parts[0]).\(parts[1])." + String(repeating: "A", count: 86)), 403, "signature"),
            Case(TestAppStore.body(transaction), 403, "type_confusion"),
            Case(TestAppStore.body(try appStore.renewal(other)), 403, "audience"),
            Case(TestAppStore.body(try appStore.renewal(number)), 403, "audience"),
            Case(#"{"notification_type":"RENEWAL","password":"secret","unified_receipt":{}}"#, 403, "v1_disabled"),
        ]
    }

    @Test func `each rejected notification has its status and reason and leaves no record`() async throws {
        let cases = try malformed() + forged()
        try await IngressHarness.with(broker) { harness async throws in
            for refused in cases {
                let before = harness.decisions(refused.reason, refused.status)
                let response = try await harness.post(refused.body)
                #expect(response.status == refused.status, "\(refused.reason)")
                #expect(response.body.isEmpty)
                #expect(harness.decisions(refused.reason, refused.status) == before + 1, "\(refused.reason)")
            }
            #expect(try await harness.counts() == [0, 0, 0])
            // No refused request may affect the next one.
            #expect(try await harness.post(TestAppStore.body(try appStore.renewal())).status == 200)
        }
    }

    @Test func `the log contains the reason of a refusal, and never the content of the request`() async throws {
        let cases = try malformed() + forged()
        var other = TestAppStore.Draft()
        other.bundleId = "com.example.other"
        let jws = try appStore.renewal(other)
        try await IngressHarness.with(broker) { harness async throws in
            for refused in cases { _ = try await harness.post(refused.body, headers: [("X-Secret", "canary-4711")]) }
            _ = try await harness.post(TestAppStore.body(jws))
            let lines = harness.log.lines
            for refused in cases {
                #expect(lines.contains { $0.contains(#""reason":"\#(refused.reason)""#) }, "\(refused.reason)")
            }
            #expect(
                lines.contains {
                    $0.contains("notification with a trusted certificate chain rejected")
                        && $0.contains("com.example.other")
                })
            let text = lines.joined(separator: "\n")
            for secret in [
                String(jws.prefix(40)), String(jws.suffix(40)), "canary-4711", "\"secret", "2000000000000001",
            ] {
                #expect(!text.contains(secret), "\(secret)")
            }
        }
    }

    @Test func `a flood of refusals is counted completely and logged in few lines`() async throws {
        try await IngressHarness.with(broker) { harness async throws in
            let begun = ContinuousClock.now
            for _ in 0..<200 { #expect(try await harness.post(Array("x".utf8)).status == 400) }
            let seconds = Int((ContinuousClock.now - begun) / .seconds(1)) + 2
            #expect(harness.decisions("json", 400) == 200)
            #expect(harness.log.lines.filter { $0.contains(#""reason":"json""#) }.count <= 2 * seconds)
        }
    }

    @Test(arguments: [
        ("GET", "/notifications", 405, "method"), ("PUT", "/notifications", 405, "method"),
        ("DELETE", "/notifications", 405, "method"), ("POST", "/", 404, "path"),
        ("POST", "/notifications/", 404, "path"), ("POST", "//notifications", 404, "path"),
        ("POST", "/notifications%2f", 404, "path"), ("GET", "/metrics", 404, "path"),
    ])
    func `only POST on the configured path is accepted`(
        method: String, path: String, status: Int, reason: String
    ) async throws {
        try await IngressHarness.with(broker) { harness async throws in
            let response = try await harness.client.send(
                HTTPClientRequest(
                    method: method, url: "http://127.0.0.1:\(harness.ingress.port)\(path)",
                    body: method == "GET" ? nil : Array("{}".utf8)))
            #expect(response.status == status)
            if status == 405 { #expect(response.header("allow") == "POST") }
            #expect(await eventually(within: .seconds(5)) { harness.decisions(reason, status) == 1 })
        }
    }

    @Test func `a body beyond the limit is rejected, and one at the limit is read`() async throws {
        try await IngressHarness.with(broker) { harness async throws in
            let limit = NotificationListener.maximumBody
            #expect(limit == 262_144)
            let most = Array(#"{"a":""#.utf8) + [UInt8](repeating: 0x61, count: limit - 8) + Array(#""}"#.utf8)
            #expect(most.count == limit)
            #expect(try await harness.post(most).status == 400)
            #expect(harness.decisions("json_shape", 400) == 1)
            #expect(try await harness.post(most + [0x20]).status == 413)
            #expect(await eventually(within: .seconds(5)) { harness.decisions("too_large", 413) == 1 })
        }
    }

    @Test func `certificates just outside their validity period are answered 503, long outside 403`() async throws {
        let body = TestAppStore.body(try appStore.renewal())
        let end = try #require(appStore.pki.leaf.validity).notAfter
        for (late, status) in [(Int64(3_600), 503), (49 * 3_600, 403)] {
            let wall = (end + late) * 1000
            let begun = Clocks.system.monotonicMilliseconds()
            let clocks = Clocks(
                wallMilliseconds: { wall + Clocks.system.monotonicMilliseconds() - begun },
                monotonicNanoseconds: Clocks.system.monotonicNanoseconds)
            try await IngressHarness.with(broker, clocks: clocks) { harness async throws in
                #expect(try await harness.post(body).status == status)
                #expect(harness.decisions("cert_time", status) == 1)
                #expect(try await harness.counts() == [0, 0, 0])
            }
        }
    }

    @Test func `notifications signed more than a day ahead are answered 503, and three of them end readiness`()
        async throws
    {
        try await IngressHarness.with(broker) { harness async throws in
            var draft = TestAppStore.Draft()
            draft.signedDate = TestTime.start + 25 * 3_600_000
            for number in 1...3 {
                // Waits until the producer is connected.
                #expect(
                    await eventually(within: .seconds(30)) { (try? await harness.get("/readyz").status) == 200 },
                    "before \(number)")
                draft.notificationUUID = UUID().uuidString.lowercased()
                #expect(try await harness.post(TestAppStore.body(try appStore.renewal(draft))).status == 503)
            }
            let ready = try await harness.get("/readyz")
            #expect(ready.status == 503)
            #expect(
                ready.text.contains("clock: the wall clock is slow: notifications were signed more than 24 hours ahead")
            )
            #expect(harness.decisions("clock", 503) == 3)
            #expect(try await harness.records(harness.topics.quarantine).isEmpty)
            #expect(try await harness.post(TestAppStore.body(try appStore.renewal())).status == 200)
            #expect(try await harness.get("/readyz").status == 200)
        }
    }

    @Test func `a connection is closed after a body that is not Apple's and kept after a valid one`() async throws {
        try await IngressHarness.with(broker) { harness async throws in
            let client = try TestConnection(port: harness.ingress.port)
            for _ in 0..<2 {
                let body = TestAppStore.body(try appStore.renewal())
                client.send(HostileRun.head(of: body))
                client.send(body)
                #expect(try client.response().status == 200)
            }
            for (body, status) in [
                (Array("{}".utf8), 400),
                (TestAppStore.body(try appStore.renewal(by: JWSSigner(appStore.untrusted))), 403),
            ] {
                let other = try TestConnection(port: harness.ingress.port)
                other.send(HostileRun.head(of: body))
                other.send(body)
                let response = try other.response()
                #expect(response.status == status)
                #expect(response.head.contains("\r\nConnection: close\r\n"))
                #expect(other.isClosedByPeer())
            }
        }
    }

    @Test func `an implausible clock is answered 503, without a verdict`() async throws {
        let body = TestAppStore.body(try appStore.renewal())
        let clocks = Clocks(
            wallMilliseconds: { ClockSanity.earliest - 1 },
            monotonicNanoseconds: Clocks.system.monotonicNanoseconds)
        try await IngressHarness.with(broker, clocks: clocks) { harness async throws in
            for body in [body, Array("x".utf8)] { #expect(try await harness.post(body).status == 503) }
            #expect(harness.decisions("clock", 503) == 2)
            let ready = try await harness.get("/readyz")
            #expect(ready.status == 503)
            #expect(ready.text.contains("clock: "))
            #expect(try await harness.counts() == [0, 0, 0])
        }
    }
}
