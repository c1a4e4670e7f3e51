import AppStoreModel
import Configuration
import JSON
import Testing

@testable import Sluicectl

/// Messages about invalid input, and the help.
@Suite struct CommandLineTests {
    @Test(arguments: [
        ([], 64, "missing command"),
        (["topic"], 64, "unknown command \"topic\". Did you mean topics?"),
        (["tap", "--form", "end"], 64, "--form"),
        (["tap", "--start", "end", "--from", "2026-11-01T00:00:00Z"], 64, "Pass only one of them."),
        (["tap", "--from", "yesterday"], 78, "\"yesterday\" must be an RFC 3339 time"),
        (["tap", "--start", "-0"], 78, "must be beginning, end, or -N"),
        (["tap", "--limit", "0"], 78, "limit"),
        (["tap", "--topic", "a", "--quarantine"], 64, "Pass only one of them."),
        (["topics", "apply", "--partitions", "none"], 78, "partitions"),
        (["topics", "check", "--kafka.acks", "1"], 78, "kafka.acks"),
        (["verify"], 64, "missing: FILE"),
        (["verify", "a", "--apps", "com.example.app"], 78, "apps"),
        (["verify", "a", "--root.certificates", "/nowhere"], 78, "root.certificates"),
        (["verify", "/dev/null", "--at", "noon"], 78, "must be an RFC 3339 time"),
        (["entitlements", "show"], 64, "missing: ID"),
        (["entitlements", "show", "1", "--entitlements.url", "localhost"], 78, "entitlements.url"),
        (["api", "transaction"], 64, "missing: ID"), (["api", "transaction", "1"], 78, "apps: no app is configured"),
        (["api", "transaction", "1", "--apps", "a:1,b:2"], 78, "--app"),
        (["api", "transaction", "1", "--apps", "a:1", "--app", "b"], 78, "b is not configured"),
        (["api", "transaction", "1", "--apps", "a:1"], 78, "appstore.api.key.file"),
        (["api", "transaction", "1", "--apps", "a:1", "--appstore.api.key.id", "k"], 78, "appstore.api.issuer.id"),
        (["api", "order", "1", "--appstore.api.url", "localhost"], 78, "appstore.api.url"),
        (["explain"], 64, "missing: ID"), (["explain", "a\nb"], 64, "is not an identifier"),
        (["explain", "1", "--at", "noon"], 78, "must be an RFC 3339 time"),
        (["version", "--output", "xml"], 78, "must be one of text, json"),
    ])
    func `an invalid argument is reported in one line`(_ arguments: [String], _ exitCode: Int32, _ part: String) async {
        let (code, printed) = await sluicectl(arguments)
        #expect(code == exitCode)
        #expect(printed.output.isEmpty)
        #expect(printed.complaints.count == 1, "\(printed.complaints)")
        #expect(printed.complaints.first?.contains(part) == true, "\(printed.complaints)")
        #expect(printed.complaints.first?.hasPrefix("sluicectl: ") == true)
        #expect(printed.complaints.first?.contains("\n") == false)
    }

    @Test func `unreachable brokers are reported in one line with the setting`() async {
        for command in [["topics", "check"], ["tap"]] {
            let (code, printed) = await sluicectl(
                command + ["--kafka.bootstrap.servers", "127.0.0.1:1"], timeout: .milliseconds(100))
            #expect(code == 1)
            #expect(printed.complaints.count == 1)
            #expect(printed.complaints.first?.contains("kafka.bootstrap.servers: no Kafka broker answers") == true)
        }
    }

    @Test(arguments: [
        [], ["topics"], ["topics", "apply"], ["topics", "check"], ["topics", "list"], ["size"], ["topics", "acls"],
        ["tap"], ["verify"], ["config"], ["state"], ["state", "rekey"],
        ["config", "check"],
        ["config", "show"], ["entitlements"], ["entitlements", "show"], ["webhooks"], ["webhooks", "test"],
        ["webhooks", "attempts"], ["webhooks", "resend"], ["version"],
        ["quarantine"], ["quarantine", "list"], ["quarantine", "show"], ["quarantine", "release"], ["dlq"],
        ["dlq", "list"], ["dlq", "show"], ["dlq", "replay"], ["dlq", "discard"], ["api"], ["api", "transaction"],
        ["api", "subscriptions"], ["api", "history"], ["api", "refunds"], ["api", "order"],
        ["api", "test-notification"], ["explain"],
    ])
    func `every command has help with an example`(_ path: [String]) async {
        let (code, printed) = await sluicectl(path + ["--help"])
        #expect(code == 0)
        #expect(printed.output.contains("Examples:"))
        #expect(printed.output.contains("  sluicectl \(path.joined(separator: " "))"))
    }

    @Test func `the versions match the running libraries`() async throws {
        let (code, printed) = await sluicectl(["version", "--output", "json"])
        #expect(code == 0)
        let versions = try #require(try printed.objects.first)
        #expect(versions.names == ["sluice", "swift", "librdkafka", "openssl", "sqlite", "libcurl", "formats"])
        for name in ["librdkafka", "sqlite", "libcurl"] {
            let numbers = try #require(versions[name]?.string).split(separator: ".")
            #expect(numbers.count >= 3 && Int(numbers[0]) != nil, "\(name)")
        }
        #expect(versions["openssl"]?.string?.hasPrefix("OpenSSL 3") == true)
    }
}
