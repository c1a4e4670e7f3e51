import HTTPClient
import JSON
import Telemetry
import TestSupport
import Testing

@testable import Entitlements

/// The access log: callers, refusals and changes.
@Suite(.timeLimit(.minutes(5))) struct AccessLogTests {
    private static let reader = String(repeating: "r", count: 32)
    private static let writer = String(repeating: "w", count: 32)
    private static let keys = "backend read \(reader)\nsupport full \(writer)\n"
    private static let claim =
        #"{"bundleId":"com.example","originalTransactionId":"1000","appAccountToken":"\#(account)"}"#

    private func count(_ api: ReadAPIHarness, _ key: String, _ path: String, _ status: Int) -> Bool {
        String(decoding: api.registry.prometheusText(), as: UTF8.self).contains(
            #"sluice_entitlements_requests_total{key="\#(key)",path="\#(path)",status="\#(status)"} 1"#)
    }

    @Test func `each request is counted by key name, path and status`() async throws {
        let api = try await ReadAPIHarness(now: on(1), keys: Self.keys)
        #expect(try await api.get("?originalTransactionId=1", key: Self.reader).status == 200)
        #expect(try await api.get("?x=1", key: Self.writer).status == 400)
        #expect(try await api.get("?originalTransactionId=1").status == 401)
        #expect(
            try await api.get("", path: "/v1/claims", method: "POST", body: Self.claim, key: Self.reader).status == 403)
        #expect(try await api.get("", path: "/nothing").status == 404)
        #expect(try await api.get("", path: "/v1/claims", key: Self.reader).status == 405)
        for (key, path, status) in [
            ("backend", "/v1/entitlements", 200), ("support", "/v1/entitlements", 400), ("", "/v1/entitlements", 401),
            ("backend", "/v1/claims", 403), ("", "other", 404), ("", "/v1/claims", 405),
        ] {
            #expect(count(api, key, path, status), "\(key) \(path) \(status)")
        }
        await api.stop()
    }

    @Test func `rejected requests and changes are logged with the key's name, without keys and accounts`()
        async throws
    {
        let api = try await ReadAPIHarness(now: on(1), keys: Self.keys)
        let unlisted = String(repeating: "x", count: 32)
        _ = try await api.get("?appAccountToken=\(account)", key: unlisted)
        _ = try await api.get("", path: "/v1/claims", method: "POST", body: Self.claim, key: Self.reader)
        _ = try await api.get("", path: "/v1/erasures", method: "POST", body: Self.erasure, key: Self.writer)
        _ = try await api.get("?appAccountToken=\(account)", key: Self.reader)
        let lines = api.log.lines
        #expect(lines.count { $0.contains("request without a listed key rejected") } == 1)
        #expect(lines.contains { $0.contains("change rejected") && $0.contains(#""keyName":"backend""#) })
        let change = try #require(lines.first { $0.contains("change request answered") })
        for part in [#""keyName":"support""#, #""path":"/v1/erasures""#, #""originalTransactionId":"1000""#] {
            #expect(change.contains(part), "\(part)")
        }
        #expect(!lines.contains { $0.contains("read request answered") })
        for secret in [unlisted, Self.reader, Self.writer, account] {
            #expect(!lines.contains { $0.contains(secret) }, "\(secret)")
        }
        await api.stop()
    }

    @Test func `a rejected story is not logged as a change`() async throws {
        let api = try await ReadAPIHarness(now: on(1), keys: Self.keys)
        #expect(try await api.get("?id=1000", path: "/v1/story", key: Self.reader).status == 403)
        let lines = api.log.lines
        #expect(lines.contains { $0.contains("read request rejected") && $0.contains(#""path":"/v1/story""#) })
        #expect(!lines.contains { $0.contains("change rejected") })
        await api.stop()
    }

    private static let erasure = #"{"bundleId":"com.example","originalTransactionId":"1000"}"#

    @Test func `queries are logged if configured, without their subject`() async throws {
        let api = try await ReadAPIHarness(now: on(1), keys: Self.keys, accessLines: .all)
        _ = try await api.get("?appAccountToken=\(account)", key: Self.reader)
        let line = try #require(api.log.lines.first { $0.contains("read request answered") })
        #expect(line.contains(#""keyName":"backend""#) && line.contains(#""status":200"#))
        #expect(!line.contains(account))
        await api.stop()
    }
}
