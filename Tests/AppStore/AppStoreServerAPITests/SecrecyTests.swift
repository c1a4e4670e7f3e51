import AppStoreModel
import Foundation
import HTTPServer
import TestSupport
import Testing

@testable import AppStoreServerAPI

/// No token or key may appear in an error, an event or a description, regardless of the response.
@Suite(.timeLimit(.minutes(5)))
struct SecrecyTests {
    /// Returns a server that echoes the request, as some proxies do in their error pages.
    private func echo(status: Int) throws -> FakeAppStore {
        try FakeAppStore { asked, _ in
            let parts = asked.token.split(separator: ".").joined(separator: "\n")
            return HTTPResponse(
                status: status, reason: "test", headers: [(name: "X-Token", value: asked.token)],
                body: Array("\(asked.authorization)\n\(parts)\n\(asked.token.dropFirst(9))".utf8))
        }
    }

    @Test(arguments: [200, 302, 400, 401, 404, 429, 500, 503])
    func `an echoed token is visible neither to the caller nor to the operator`(status: Int) async throws {
        let store = try echo(status: status)
        let key = try APIHarness.newKey()
        let harness = try APIHarness(store, key: key)
        var texts: [String] = []
        do {
            _ = try await harness.client.getTransactionInfo(TransactionId("1"), APIHarness.production)
            Issue.record("an echo must not be accepted as a response")
        } catch {
            texts += ["\(error)", String(reflecting: error), dumped(error)]
        }
        texts += harness.reported.flatMap { ["\($0)", String(reflecting: $0), dumped($0)] }
        texts.append(dumped(harness.client))
        let secrets = try store.asked.flatMap { try canaries(token: $0.token) } + canaries(key: key)
        #expect(store.asked.count == (status == 401 ? 2 : 1))
        #expect(secrets.count > 3)
        for secret in secrets {
            #expect(!texts.contains { $0.contains(secret) }, "\(status)")
        }
    }

    @Test func `the error for an unreadable key does not contain the key`() async throws {
        var key = try APIHarness.newKey()
        key.insert(UInt8(ascii: "!"), at: 60)
        let harness = try APIHarness(try FakeAppStore(), key: key)
        let failure = try await harness.failure()
        #expect(failure.kind == .noKey)
        for secret in canaries(key: key) {
            #expect(!"\(failure)\(dumped(failure))\(harness.reported)".contains(secret))
        }
    }

    private func dumped(_ value: Any) -> String {
        var text = ""
        dump(value, to: &text)
        return text
    }

    /// Returns the sensitive parts of a token, complete and in pieces.
    private func canaries(token: String) throws -> [String] {
        let parts = token.split(separator: ".").map(String.init)
        guard parts.count == 3 else { throw Unexpected("no token") }
        return [token, parts[1], parts[2], String(parts[2].dropFirst(9).dropLast(9))]
    }

    private func canaries(key: [UInt8]) -> [String] {
        let lines = String(decoding: key, as: UTF8.self).split(separator: "\n").filter { !$0.hasPrefix("-") }
        let bytes = Data(base64Encoded: lines.joined(), options: .ignoreUnknownCharacters) ?? Data()
        // The private value, at its offset in PKCS#8 of P-256.
        let scalar = bytes.dropFirst(36).prefix(32)
        return lines.map(String.init) + [scalar.map { String($0, radix: 16) }.joined()]
    }
}
