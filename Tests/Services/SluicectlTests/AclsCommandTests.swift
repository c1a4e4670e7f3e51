import JSON
import Testing

@testable import Sluicectl

/// `sluicectl topics acls`.
@Suite struct AclsCommandTests {
    private func acls(_ arguments: [String]) async -> (exitCode: Int32, printed: Printed) {
        await sluicectl(["topics", "acls"] + arguments)
    }

    @Test func `commands for Kafka's tool are complete shell commands`() async {
        let (code, printed) = await acls([
            "--for", "sluice-ingress", "--principal", "User:CN=it's ours,O=Example", "--format", "kafka-acls",
            "--topics.prefix", "test", "--kafka.bootstrap.servers", "kafka-1:9092", "--kafka.client.id", "edge",
        ])
        #expect(code == 0)
        #expect(printed.complaints.isEmpty)
        let start =
            #"kafka-acls.sh --bootstrap-server kafka-1:9092 --add --allow-principal "#
            + #"'User:CN=it'\''s ours,O=Example' \"#
        #expect(
            printed.output == """
                # sluice-ingress: User:CN=it's ours,O=Example
                \(start)
                    --operation Write --operation DescribeConfigs \\
                    --topic test.notifications.production \\
                    --topic test.notifications.sandbox \\
                    --topic test.quarantine
                \(start)
                    --operation Read --operation Write --operation DescribeConfigs \\
                    --topic test.certificates
                \(start)
                    --operation Describe \\
                    --group edge

                """)
    }

    @Test func `Strimzi's list is YAML`() async {
        let (code, printed) = await acls([
            "--for", "sluice-webhooks", "--format", "strimzi", "--webhooks.group.id", "inbox",
        ])
        #expect(code == 0)
        #expect(
            printed.output == """
                # sluice-webhooks: User:sluice-webhooks
                acls:
                  - resource:
                      type: topic
                      name: "appstore.entitlements.production"
                      patternType: literal
                    operations:
                      - Read
                      - DescribeConfigs
                  - resource:
                      type: topic
                      name: "appstore.entitlements.production.inbox.dlq"
                      patternType: literal
                    operations:
                      - Write
                      - DescribeConfigs
                  - resource:
                      type: topic
                      name: "appstore.control"
                      patternType: literal
                    operations:
                      - Read
                      - DescribeConfigs
                  - resource:
                      type: group
                      name: "inbox"
                      patternType: literal
                    operations:
                      - Read

                """)
    }

    @Test func `a table names the executable, its principal and its rights`() async {
        let (code, printed) = await acls(["--for", "sluice-webhooks"])
        #expect(code == 0)
        #expect(
            printed.output == """
                sluice-webhooks: User:sluice-webhooks
                  topic  appstore.entitlements.production                      Read, DescribeConfigs
                  topic  appstore.entitlements.production.sluice-webhooks.dlq  Write, DescribeConfigs
                  topic  appstore.control                                      Read, DescribeConfigs
                  group  sluice-webhooks                                       Read

                """)
    }

    @Test func `each executable has its own principal`() async throws {
        let (code, printed) = await acls(["--output", "json"])
        #expect(code == 0)
        let grants = try #require(try printed.objects.first?["grants"]?.array)
        #expect(
            grants.map { $0.object?["principal"]?.string } == [
                "User:sluice-ingress", "User:sluice-entitlements", "User:sluice-refunds", "User:sluice-reconciler",
                "User:sluice-archive", "User:sluice-webhooks",
            ])
        #expect(
            grants.last?.object?["rights"]?.array?.last
                == .object([
                    "resource": .string("group"), "name": .string("sluice-webhooks"),
                    "operations": .array([.string("Read")]),
                ]))
    }

    @Test func `with one principal for all executables each right is listed once`() async throws {
        let (_, printed) = await acls(["--principal", "User:sluice", "--output", "json"])
        let grants = try #require(try printed.objects.first?["grants"]?.array)
        #expect(grants.count == 1)
        #expect(grants.first?.object?["executables"]?.array?.count == 6)
        let rights = try #require(grants.first?.object?["rights"]?.array).compactMap(\.object)
        let names = rights.map { "\($0["resource"]?.string ?? "") \($0["name"]?.string ?? "")" }
        #expect(Set(names).count == names.count)
        let input = rights.first { $0["name"]?.string == "appstore.notifications.sandbox" }
        #expect(input?["operations"] == .array(["Read", "Write", "DescribeConfigs"].map { .string($0) }))
    }

    @Test func `several lists are several YAML documents`() async {
        let (_, printed) = await acls(["--format", "strimzi"])
        #expect(printed.output.split(separator: "\n").count { $0 == "---" } == 5)
    }

    @Test func `the role decides whether a member is a reader`() async {
        let (_, printed) = await acls(["--for", "sluice-entitlements", "--state.role", "reader"])
        #expect(printed.output.contains("topic  appstore.notifications.production  ") == true)
        #expect(!printed.output.contains("group  sluice-entitlements                                  Read"))
        #expect(printed.output.hasSuffix("Describe\n"))
    }

    @Test func `settings of other executables are considered`() async {
        let (_, printed) = await acls(["--for", "sluice-reconciler", "--repairing", "false"])
        #expect(printed.output.contains("appstore.entitlements.production  "))
        #expect(!printed.output.contains("Read, Write\n"))
        let (_, repairing) = await acls(["--for", "sluice-reconciler"])
        #expect(repairing.output.contains("Read, Write\n"))
    }

    @Test(arguments: [
        (["--for", "sluice-simulator"], 78, "for"), (["--principal", "sluice"], 78, "User:sluice-ingress"),
        (["--principal", "User:"], 78, "must be a type and a name"),
        (["--principal", "User:*"], 78, "means every user"),
        (["--principal", "User:a\nb"], 78, "has a control character"), (["--format", "yaml"], 78, "must be one of"),
        (["--format", "strimzi", "--output", "json"], 64, "Pass only one of them"),
    ])
    func `an invalid argument is reported in one line`(_ arguments: [String], _ exitCode: Int32, _ part: String) async {
        let (code, printed) = await acls(arguments)
        #expect(code == exitCode)
        #expect(printed.output.isEmpty)
        #expect(printed.complaints.count == 1, "\(printed.complaints)")
        #expect(printed.complaints.first?.contains(part) == true, "\(printed.complaints)")
    }

    @Test(arguments: [
        ("kafka-1:9092,kafka-2:9092", "kafka-1:9092,kafka-2:9092"), ("", "''"), ("a b", "'a b'"), ("$(id)", "'$(id)'"),
        ("a'b", #"'a'\''b'"#), ("~", "'~'"), ("é", "'é'"),
    ])
    func `a quoted word is a single word for a shell`(_ text: String, _ word: String) {
        #expect(ShellWord.quoted(text) == word)
    }
}
