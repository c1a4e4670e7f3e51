import Foundation
import TestSupport
import Testing

/// One broker of Apache Kafka that checks rights and denies by default. The test itself uses a listener without
/// authentication, with all rights.
struct SecuredBroker: Sendable {
    /// The broker as seen by its administrator.
    let administrator: Broker
    /// The broker as seen by users.
    let broker: Broker
    let cluster: ApacheKafka
    private let harness: Harness

    /// - Parameter users: names of users who authenticate with SASL PLAIN.
    init(_ harness: Harness, users: [String]) async throws {
        let (open, secured, controller) = (try freePort(), try freePort(), try freePort())
        let passwords = users.map { "user_\($0)=\"\(Self.password(of: $0))\"" }.joined(separator: " ")
        let listeners = "PLAINTEXT://127.0.0.1:\(open),SASL_PLAINTEXT://127.0.0.1:\(secured)"
        let started = try await ApacheKafka.start(settings: [
            "listeners": "\(listeners),CONTROLLER://127.0.0.1:\(controller)",
            "advertised.listeners": listeners,
            "controller.quorum.voters": "1@127.0.0.1:\(controller)",
            "listener.security.protocol.map":
                "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,SASL_PLAINTEXT:SASL_PLAINTEXT",
            "sasl.enabled.mechanisms": "PLAIN",
            "listener.name.sasl_plaintext.plain.sasl.jaas.config":
                "org.apache.kafka.common.security.plain.PlainLoginModule required \(passwords);",
            "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
            "allow.everyone.if.no.acl.found": "false",
            "super.users": "User:ANONYMOUS",
        ])
        cluster = started.reached(at: "127.0.0.1:\(open)")
        administrator = try await harness.apacheKafka(cluster, partitions: 1)
        broker = Broker(
            bootstrapServers: "127.0.0.1:\(secured)", topics: administrator.topics, machinery: .apache(cluster))
        self.harness = harness
    }

    private static func password(of user: String) -> String { "\(user)-password" }

    /// Returns the settings of an executable that authenticates as this user.
    func settings(of user: String) throws -> [String] {
        [
            "--kafka.security.protocol", "SASL_PLAINTEXT", "--kafka.sasl.mechanism", "PLAIN",
            "--kafka.sasl.username", user,
            "--kafka.sasl.password.file", try harness.write(Self.password(of: user), to: "\(user).password"),
        ]
    }

    /// Grants an executable's rights to the user of the same name, with the commands that `sluicectl` prints.
    ///
    /// - Parameter flags: additional settings of the executable that affect its rights.
    func grant(_ executable: String, _ flags: [String] = []) async throws {
        let printed = try await harness.run(
            Executable(
                "sluicectl",
                arguments: ["topics", "acls", "--for", executable, "--format", "kafka-acls"]
                    + flags + administrator.tapArguments))
        try #require(printed.end == .exit(0), "\(printed)")
        let tools = try #require(ApacheKafka.home) + "/bin"
        let granted = try await harness.run(["/bin/bash", "-ec", "PATH=\(tools):$PATH\n\(printed.output)"])
        try #require(granted.end == .exit(0), "\(granted)")
    }

    /// Returns the rights of an executable, one for each operation.
    func rights(of executable: String, _ flags: [String] = []) async throws -> [Right] {
        let printed = try await harness.sluicectl(
            ["topics", "acls", "--for", executable] + flags + administrator.tapArguments)
        let grant = try #require(printed.json.objects("grants").first, "\(printed)")
        return try grant.objects("rights").flatMap { right in
            let resource = try #require(right.text("resource"))
            let name = try #require(right.text("name"))
            let operations = try #require(right["operations"] as? [any Sendable]).compactMap { $0 as? String }
            return operations.map {
                Right(executable: executable, resource: resource, name: name, operation: $0)
            }
        }
    }

    /// An operation that a user may perform on a resource.
    struct Right: Sendable, CustomStringConvertible {
        let executable: String
        let resource: String
        let name: String
        let operation: String

        var description: String { "\(operation) on \(resource) \(name)" }

        fileprivate var arguments: [String] {
            ["--allow-principal", "User:\(executable)", "--operation", operation, "--\(resource)", name]
        }
    }

    /// Removes a right while `body` runs.
    func without(_ right: Right, _ body: () async throws -> Void) async throws {
        _ = try await cluster.tool("kafka-acls.sh", ["--remove", "--force"] + right.arguments)
        try await body()
        _ = try await cluster.tool("kafka-acls.sh", ["--add"] + right.arguments)
    }

    /// Adds rights while `body` runs.
    func granting(_ rights: [Right], _ body: () async throws -> Void) async throws {
        for right in rights { _ = try await cluster.tool("kafka-acls.sh", ["--add"] + right.arguments) }
        try await body()
        for right in rights { _ = try await cluster.tool("kafka-acls.sh", ["--remove", "--force"] + right.arguments) }
    }

    /// Returns the broker's log lines about denied operations so far.
    var denials: [String] {
        cluster.log().split(separator: "\n").filter { $0.contains(" is Denied ") }.map(String.init)
    }

    /// Whether the broker has denied the executable this operation on this resource since a number of earlier denials.
    /// Without Read or Write the broker also denies Describe, which they imply.
    func hasRefused(_ right: Right, after count: Int) -> Bool {
        let resource = "resource = \(right.resource == "topic" ? "Topic" : "Group"):LITERAL:\(right.name) "
        return denials.dropFirst(count).contains {
            $0.contains("User:\(right.executable) ") && $0.contains(resource)
        }
    }
}
