import AppStoreSigning
import AppStoreTestSupport
import Cryptography
import Foundation
import HTTPServer
import Kafka
import KafkaDevBroker
import TestSupport
import Testing

/// Rows with more than one request, or with a peer that listens.
extension HostileRun {
    func scenarios() async throws {
        let kit = try SigningKit.shared()
        try await pipelined(kit)
        try await injected()
        try await abandoned(kit)
        try await halfClosed(kit)
        try await beyondTheLimit(kit)
        try await legacy()
        try await trapped(kit)
        try await everyBitFlipped(kit)
        try await twins(kit)
        try await again(kit)
    }

    /// H-18: each body is sent twice in turn, which makes the order of the responses visible.
    private func pipelined(_ kit: SigningKit) async throws {
        let client = try connect(harness)
        let bodies = try (0..<50).map { _ in try kit.body(.test) }
        client.send(bodies.flatMap { Array(Self.head(of: $0).utf8) + $0 + Array(Self.head(of: $0).utf8) + $0 })
        client.send(HostileRequest.good + HostileRequest.good)
        for (index, body) in bodies.enumerated() {
            check(try answer(client), .accepted, "H-18 pipelined \(index)")
            check(try answer(client), .duplicate, "H-18 pipelined \(index), again")
            note("H-18", .accepted)
            note("H-18", .duplicate)
            expectRecord(of: body, .accepted, "H-18 pipelined \(index)")
        }
        check(try answer(client), .read, "H-18 pipelined, the last")
        note("H-18", .read)
        #expect(client.isClosedByPeer())
        await expectCounts("H-18 pipelined")
    }

    /// H-22: a text in a field's value, which no response may repeat.
    private func injected() async throws {
        let client = try connect(harness)
        let body = Array(HostileRequest.body.utf8)
        client.send(Self.head(of: body, "X-A: b%0d%0aX-Injected: 1\r\ntraceparent: %0d%0aX-Injected: 1\r\n"))
        client.send(body)
        check(try answer(client), .read, "H-22 in a field")
        note("H-22", .read)
        await expectCounts("H-22 in a field")
    }

    /// H-24: the client does not wait for the response. Whether there is a record depends on the data received before
    /// the reset.
    private func abandoned(_ kit: SigningKit) async throws {
        let body = try kit.body(.test)
        let client = try connect(harness)
        try harness.broker.setRoundTripTime(.milliseconds(200))
        client.send(Self.head(of: body))
        client.send(body)
        client.reset()
        allowRecord(of: body)
        note("H-24", .closed(0, "aborted"))
        await expectCounts("H-24")
        #expect(await eventually { harness.value("sluice_http_requests_in_flight") == 0 }, "H-24 left a request behind")
        try harness.broker.setRoundTripTime(.zero)
    }

    /// H-25: the client closes its output before it reads the response.
    private func halfClosed(_ kit: SigningKit) async throws {
        let body = try kit.body(.test)
        let client = try connect(harness)
        client.send(Self.head(of: body))
        client.send(body)
        client.endOutput()
        check(try answer(client), .accepted.closing(), "H-25 valid", halfClosed: true)
        #expect(client.isClosedByPeer())
        note("H-25", .accepted.closing())
        expectRecord(of: body, .accepted, "H-25 valid")
        await expectCounts("H-25 valid")
    }

    /// H-54, H-83 and H-126: a megabyte never reaches the verifier.
    private func beyondTheLimit(_ kit: SigningKit) async throws {
        let long = String(repeating: "A", count: 1 << 20)
        try await post(SigningKit.body(kit.jws(.test) + long), "H-54", "1 MiB", .closed(413, "too_large"))
        let chain = JWSSigner.header(x5c: [long, long, long])
        try await post(kit.body(header: chain), "H-83", "1 MiB", .closed(413, "too_large"))
        let receipt =
            #"{"notification_type":"DID_RENEW","password":"x","latest_receipt":"\#(long + long + long + long)"}"#
        try await post(Array(receipt.utf8), "H-126", "4 MiB", .closed(413, "too_large"))
    }

    /// H-41 and H-128: a version 1 body without a configured shared secret.
    private func legacy() async throws {
        let body = #""notification_type":"DID_RENEW","password":"secret","auto_renew_status":"true""#
        let disabled = Outcome.refused(403, "v1_disabled")
        try await post(
            Array(#"{\#(body),"bid":"com.example.none","bvrs":"1"}"#.utf8), "H-41", "for no app of ours", disabled)
        try await post(
            Array(#"{\#(body),"bid":"\#(SigningKit.bundleId)","unified_receipt":{}}"#.utf8), "H-128", "for our app",
            disabled)
    }

    /// H-62: the ingress does not connect to addresses in a header.
    private func trapped(_ kit: SigningKit) async throws {
        let trap = HTTPServer(listeners: [
            Listener(
                name: "trap", host: "127.0.0.1", port: 0, limits: Limits(), admit: { _ in .notFound },
                handle: { $1.respond(HTTPResponse(status: 404, reason: "trap")) })
        ])
        try trap.start()
        let address = "http://127.0.0.1:\(trap.port())/"
        let header = JWSSigner.header(
            chain: kit.pki.chain, extra: #","x5u":"\#(address)x5u","jku":"\#(address)jku","kid":"../../etc/passwd""#)
        try await post(kit.body(header: header), "H-62", "a trap", .accepted)
        #expect(trap.counters[0].accepted == 0)
        await trap.drain(within: .zero)
    }

    /// H-95: each bit of the signature is flipped in turn.
    private func everyBitFlipped(_ kit: SigningKit) async throws {
        let jws = try kit.jws(.test)
        for bit in 0..<512 {
            let flipped = try HostileNotification.withSignature(jws) { $0[bit / 8] ^= 1 << UInt8(bit % 8) }
            let body = SigningKit.body(flipped)
            try await post(body, "H-95", "bit \(bit)", .refused(403, "signature"), counts: false)
        }
        await expectCounts("H-95")
    }

    /// H-96: the complementary signature produces no second record.
    private func twins(_ kit: SigningKit) async throws {
        let jws = try kit.jws(.test)
        try await post(SigningKit.body(jws), "H-96", "the first", .accepted)
        let twin = try HostileNotification.withSignature(jws, HostileNotification.negateS)
        #expect(twin != jws)
        try await post(SigningKit.body(twin), "H-96", "the twin", .duplicate)
    }

    /// H-114, in pipelines of a hundred.
    private func again(_ kit: SigningKit) async throws {
        let body = try kit.body(.test)
        try await post(body, "H-114", "the first", .accepted)
        let request = Array(Self.head(of: body).utf8) + body
        let hundred = Array(repeatElement(request, count: 100).joined())
        let client = try connect(harness)
        for _ in 0..<10 {
            client.send(hundred)
            for _ in 0..<100 {
                check(try answer(client), .duplicate, "H-114 again")
                note("H-114", .duplicate)
            }
        }
        await expectCounts("H-114 again")
    }
}
