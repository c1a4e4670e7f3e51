import JSON
import Testing

@testable import Sluicectl

/// `sluicectl webhooks`: output and exit codes. The tests of sluice-webhooks cover deliveries to a receiver.
@Suite(.timeLimit(.minutes(2))) struct WebhooksCommandsTests {
    private static let attempts = """
        {"attempts":[
        {"at":"2026-11-01T00:00:00.000Z","id":"a-0-1-2-d","type":"purchase.active","outcome":"unavailable","status":503,\
        "milliseconds":12,"bytes":9,"detail":"the receiver responded 503"},
        {"at":"2026-11-01T00:00:01.000Z","id":"a-0-1-2-d","type":"purchase.active","outcome":"timed_out",\
        "milliseconds":10000,"bytes":9,"detail":"no answer"},
        {"at":"2026-11-01T00:00:02.000Z","id":"a-0-1-2-d","type":"purchase.active","outcome":"accepted","status":204,\
        "milliseconds":8,"bytes":9,"detail":"the receiver responded 204"}]}
        """

    private func run(_ arguments: [String], _ api: FakeReadAPI) async -> (exitCode: Int32, printed: Printed) {
        await sluicectl(["webhooks"] + arguments + ["--webhooks.admin.url", api.flag[1]])
    }

    @Test func `attempts are printed as a table, newest last`() async throws {
        let api = try FakeReadAPI(status: 200, body: Self.attempts)
        let (code, printed) = await run(["attempts"], api)
        #expect(code == 0)
        #expect(api.seen == ["/webhooks/attempts"])
        let lines = printed.output.split(separator: "\n")
        #expect(
            lines.map { $0.split(separator: " ").dropFirst().first } == [
                "OUTCOME", "unavailable", "timed_out", "accepted",
            ])
        #expect(lines[2].contains(" -  "))
        await api.stop()
    }

    @Test func `attempts can be limited to failures and to the latest, in JSON`() async throws {
        let api = try FakeReadAPI(status: 200, body: Self.attempts)
        let (_, printed) = await run(["attempts", "--failed", "--limit", "1", "--output", "json"], api)
        let attempts = try #require(try printed.objects.first?["attempts"]?.array)
        #expect(attempts.map { $0.object?["outcome"] } == ["timed_out"])
        await api.stop()
    }

    @Test func `a listener of another process is detected by its answer`() async throws {
        let api = try FakeReadAPI(status: 404, body: "")
        let (code, printed) = await run(["attempts"], api)
        #expect(code == 1)
        #expect(printed.complaints.first?.contains("webhooks.admin.url") == true)
        await api.stop()
        let (closed, silent) = await sluicectl(["webhooks", "attempts", "--webhooks.admin.url", "http://127.0.0.1:1"])
        #expect(closed == 1)
        #expect(silent.complaints.first?.contains("sluice-webhooks is unreachable") == true)
    }

    @Test func `a test that is not accepted has exit code 1`() async throws {
        for (flag, code, text) in [("true", 0, "taken"), ("false", 1, "not taken")] as [(String, Int32, String)] {
            let (exitCode, printed) = await sluicectl(["webhooks", "test", "--accepting", flag])
            #expect(exitCode == code)
            #expect(printed.output == text + "\n")
            let (_, json) = await sluicectl(["webhooks", "test", "--accepting", flag, "--output", "json"])
            #expect(json.output == "{}\n")
        }
    }

    @Test func `resend requires an id or a topic, and brokers`() async {
        let (missing, named) = await sluicectl(["webhooks", "resend"])
        #expect(missing == 64)
        #expect(named.complaints.first?.contains("missing: ID") == true)
        for arguments in [["--dead-lettered"], ["--dead-lettered", "--topic", "appstore.entitlements.production"]] {
            let (unnamed, topic) = await sluicectl(["webhooks", "resend"] + arguments)
            #expect(unnamed == 64)
            #expect(topic.complaints.first?.contains("no dead letter topic is set") == true)
        }
        let (both, contradiction) = await sluicectl(["webhooks", "resend", "state-production-1", "--dead-lettered"])
        #expect(both == 64)
        #expect(contradiction.complaints.first?.contains("ID and --dead-lettered are mutually exclusive") == true)
        let (silent, printed) = await sluicectl(
            ["webhooks", "resend", "a-0-1-2-d", "--kafka.bootstrap.servers", "127.0.0.1:1"],
            timeout: .milliseconds(100))
        #expect(silent == 1)
        #expect(printed.complaints.first?.contains("no Kafka broker answers") == true)
    }
}
