import AppStoreModel
import AppStoreSigning
import Cryptography
import Foundation
import JSON
import TestSupport
import Testing

/// `sluicectl verify` on objects signed under a test root.
@Suite struct VerifyTests {
    private let app = ["--apps", "com.example.app:1234567890"]

    @Test func `a valid body is accepted, with the result of each step`() async throws {
        let directory = try TemporaryDirectory()
        let (root, body) = try directory.signedFiles()
        let (exitCode, printed) = await sluicectl(["verify", body, "--root.certificates", root] + app)
        #expect(exitCode == 0)
        let lines = printed.output.split(separator: "\n").map(String.init)
        #expect(lines.first == "3   body                ok")
        #expect(lines.contains("13  audience            ok"))
        #expect(lines.contains { $0.contains("CN") && $0.contains("Test Root") })
        #expect(lines.contains { $0.hasPrefix("    serial ") && $0.contains(" valid 2016-") })
        #expect(lines.last == "accepted (notification), verified as of 2026-11-01T00:00:00.000Z")
        #expect(printed.complaints.isEmpty)
    }

    @Test func `without apps the audience is reported as not checked`() async throws {
        let directory = try TemporaryDirectory()
        let (root, body) = try directory.signedFiles()
        let (exitCode, printed) = await sluicectl(["verify", body, "--root.certificates", root])
        #expect(exitCode == 0)
        #expect(printed.output.contains("13  audience            not checked  apps is not set"))
    }

    @Test func `the JSON verdict has stable names`() async throws {
        let directory = try TemporaryDirectory()
        let (root, body) = try directory.signedFiles()
        let (exitCode, printed) = await sluicectl(
            ["verify", body, "--root.certificates", root, "--output", "json", "--payload"] + app)
        #expect(exitCode == 0)
        let verdict = try #require(try printed.objects.first)
        #expect(
            verdict.names == [
                "accepted", "verdict", "reason", "kind", "at", "steps", "certificates", "payload", "transaction",
                "renewalInfo",
            ])
        #expect(verdict["accepted"] == true)
        #expect(verdict["verdict"] == "accepted")
        #expect(verdict["reason"] == .null)
        #expect(verdict["kind"] == "notification")
        #expect(verdict["at"] == "2026-11-01T00:00:00.000Z")
        let steps = try #require(verdict["steps"]?.array)
        #expect(steps.first == ["number": 3, "step": "body", "outcome": "passed", "detail": ""])
        #expect(
            steps.compactMap { $0.object?["step"]?.string } == [
                "body", "compactForm", "algorithm", "certificateList", "pinnedRoot", "leafMarker",
                "intermediateMarker", "signature", "validity", "revocation", "audience", "profile",
            ])
        let leaf = try #require(verdict["certificates"]?.array?.first?.object)
        #expect(leaf.names == ["subject", "issuer", "serial", "notBefore", "notAfter"])
        #expect(leaf["serial"]?.string == (try Signed.pki.get().leaf.serialNumber))
        #expect(leaf["notAfter"] == "2027-11-01T00:00:00.000Z")
        #expect(verdict["payload"]?.object?["notificationType"] == "SUBSCRIBED")
        #expect(verdict["transaction"]?.object?["productId"] == "com.example.monthly")
    }

    @Test func `a body under an untrusted chain is refused against Apple's root, with the reason`() async throws {
        let directory = try TemporaryDirectory()
        let body = try directory.signedFiles().body
        let (exitCode, printed) = await sluicectl(["verify", body])
        #expect(exitCode == 1)
        #expect(printed.output.contains("7   pinnedRoot          FAILED"))
        #expect(printed.output.contains("8   leafMarker          -"))
        #expect(printed.output.contains("refused: notApple, reason chain_root (notification)"))
    }

    @Test func `a body for another app has the verdict notForUs`() async throws {
        let directory = try TemporaryDirectory()
        let (root, body) = try directory.signedFiles()
        let (exitCode, printed) = await sluicectl(
            ["verify", body, "--root.certificates", root, "--apps", "com.example.other:1", "--output", "json"])
        #expect(exitCode == 1)
        let verdict = try #require(try printed.objects.first)
        #expect(verdict["verdict"] == "notForUs")
        #expect(verdict["reason"] == "audience")
        #expect(verdict["payload"] == nil)
    }

    @Test func `a bare JWS of a transaction is verified`() async throws {
        let directory = try TemporaryDirectory()
        let root = try directory.signedFiles().root
        let jws = try JWSSigner(try Signed.pki.get()).sign(Signed.transactionInfo)
        let file = try directory.write(jws + "\n", to: "transaction.jws")
        let (exitCode, printed) = await sluicectl(["verify", file, "--root.certificates", root, "--payload"] + app)
        #expect(exitCode == 0)
        #expect(printed.output.contains("3   body                skipped  a bare JWS"))
        #expect(printed.output.contains(#""productId":"com.example.monthly""#))
        #expect(printed.output.contains("accepted (transaction)"))
    }

    @Test func `certificates are verified at the given time`() async throws {
        let directory = try TemporaryDirectory()
        let (root, body) = try directory.signedFiles()
        let (exitCode, printed) = await sluicectl(
            ["verify", body, "--root.certificates", root, "--at", "2029-01-01T00:00:00Z", "--output", "json"] + app)
        #expect(exitCode == 1)
        let verdict = try #require(try printed.objects.first)
        #expect(verdict["reason"] == "cert_time")
        #expect(verdict["at"] == "2029-01-01T00:00:00.000Z")
    }

    @Test(arguments: [
        "", "hello", "{}", "a.b.c", "..", "{\"signedPayload\":1}", "{\"notification_type\":\"DID_RENEW\"}",
    ])
    func `text that is not a body is refused`(_ text: String) async throws {
        let directory = try TemporaryDirectory()
        let file = try directory.write(text, to: "body")
        let (exitCode, printed) = await sluicectl(["verify", file])
        #expect(exitCode == 1)
        #expect(printed.output.contains("refused: "))
        #expect(printed.complaints.isEmpty)
    }

    @Test func `a missing file is reported in one line`() async throws {
        let (exitCode, printed) = await sluicectl(["verify", "/nowhere/body.json"])
        #expect(exitCode == 1)
        #expect(
            printed.complaints == [
                "sluicectl: /nowhere/body.json cannot be read. Pass a readable file, or - for standard input."
            ])
    }
}
