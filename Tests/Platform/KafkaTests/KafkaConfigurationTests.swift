import Foundation
import TestSupport
import Testing

@testable import Kafka

@Suite struct KafkaConfigurationTests {
    @Test(arguments: [
        "acks", "enable.idempotence", "auto.offset.reset", "enable.auto.offset.store", "partition.assignment.strategy",
        "partitioner", "transactional.id", "group.id", "bootstrap.servers", "metadata.broker.list",
        "request.required.acks", "message.send.max.retries", "test.mock.num.brokers", "delivery.report.only.error",
    ])
    func `a property that the library relies on is refused with the reason`(name: String) {
        let error = #expect(throws: KafkaError.self) {
            try KafkaConfiguration(bootstrapServers: "a:1", properties: [name: "1"])
        }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.message.hasPrefix("\(name) cannot be set: ") == true)
    }

    @Test func `a copy with further properties has the same tokens, reader group and profile`() throws {
        var configuration = try KafkaConfiguration(
            bootstrapServers: "a:1", properties: ["linger.ms": "7"], profile: .embedded)
        configuration.readerGroup = "readers"
        configuration.tokenSource = KafkaTokenSource { () throws(KafkaTokenError) in
            throw KafkaTokenError("none")
        }
        let copy = try configuration.adding(["linger.ms": "1", "fetch.wait.max.ms": "10"]) { present, _ in present }
        #expect(copy.tokenSource == configuration.tokenSource && copy.readerGroup == "readers")
        #expect(copy.bootstrapServers == "a:1" && copy.profile == .embedded)
        #expect(copy.properties == ["linger.ms": "7", "fetch.wait.max.ms": "10"])
    }

    @Test(arguments: ["0", "-1", "x", "", "15001"])
    func `statistics cannot be disabled or made less frequent than liveness requires`(value: String) {
        #expect(throws: KafkaError.self) {
            try KafkaConfiguration(bootstrapServers: "a:1", properties: ["statistics.interval.ms": value])
        }
    }

    @Test(arguments: [
        ("no.such.property", "x"), ("linger.ms", "soon"), ("compression.codec", "rar"), ("linger.ms", "-1"),
        ("fetch.wait.max.ms", "never"), ("security.protocol", "none"),
    ])
    func `properties that librdkafka rejects are refused with its own message`(name: String, value: String) {
        let error = #expect(throws: KafkaError.self) {
            try KafkaConfiguration(bootstrapServers: "a:1", properties: [name: value])
        }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.message.hasPrefix("\(name): ") == true)
        #expect(error?.message.contains("onfiguration property") == true)
    }

    @Test func `brokers are required`() {
        #expect(throws: KafkaError.self) { try KafkaConfiguration(bootstrapServers: "") }
    }

    @Test(arguments: [
        "sasl.password", "ssl.key.password", "ssl.keystore.password", "ssl.key.pem", "sasl.username",
        "sasl.oauthbearer.config",
    ])
    func `a secret is never shown`(name: String) throws {
        let configuration = try KafkaConfiguration(bootstrapServers: "a:1", properties: [name: "hunter2"])
        #expect(!"\(configuration)".contains("hunter2"))
        #expect(!String(reflecting: configuration).contains("hunter2"))
        var dumped = ""
        dump(configuration, to: &dumped)
        #expect(!dumped.contains("hunter2"))
        #expect(configuration.effectiveProperties(for: .producer)[name] == "********")
        #expect(configuration.settings(for: .producer).contains(ClientProperty(name, "hunter2")))
    }

    @Test(arguments: [
        ("sasl.oauthbearer.client.secret", true), ("SSL.KEY.PASSWORD", true), ("ssl.ca.pem", false),
        ("sasl.oauthbearer.assertion.private.key.passphrase", true),
        ("sasl.oauthbearer.assertion.private.key.pem", true),
        ("sasl.oauthbearer.assertion.private.key.file", false), ("ssl.certificate.pem", false),
        ("ssl.key.location", false), ("client.id", false),
    ])
    func `secrets are recognized by property name`(name: String, isSecret: Bool) {
        #expect(ClientProperty(name, "x").isSecret == isSecret)
    }

    @Test func `the caller's properties replace defaults but never fixed properties`() throws {
        let configuration = try KafkaConfiguration(
            bootstrapServers: "a:1,b:2", properties: ["linger.ms": "7", "session.timeout.ms": "6000"])
        let producer = configuration.effectiveProperties(for: .producer)
        #expect(producer["linger.ms"] == "7")
        #expect(producer["acks"] == "all")
        #expect(producer["enable.idempotence"] == "true")
        #expect(producer["partitioner"] == "murmur2_random")
        #expect(producer["bootstrap.servers"] == "a:1,b:2")
        let consumer = configuration.effectiveProperties(for: .consumer(group: "g"))
        #expect(consumer["session.timeout.ms"] == "6000")
        #expect(consumer["group.id"] == "g")
        #expect(consumer["auto.offset.reset"] == "error")
        #expect(consumer["partition.assignment.strategy"] == "cooperative-sticky")
    }

    @Test(arguments: [1, 12, 24, 64, 128, 256])
    func `the prefetch of all partitions stays within the total`(partitions: Int) throws {
        var prefetch = KafkaPrefetch()
        prefetch.totalBytes = 24 << 20
        prefetch.partitions = partitions
        let settings = try KafkaConfiguration(bootstrapServers: "a:1")
            .settings(for: .consumer(group: "g"), prefetch: prefetch)
        func value(_ name: String) throws -> Int {
            try #require(settings.last { $0.name == name }.flatMap { Int($0.value) })
        }
        let queued = try value("queued.max.messages.kbytes") << 10
        let fetched = try value("fetch.message.max.bytes")
        #expect(queued > 0 && fetched > 0)
        // A fetch starts while the queue is below its limit, and records take about four times their fetched size in
        // memory.
        #expect(partitions * (queued + 4 * fetched) <= 24 << 20)
    }

    @Test(arguments: [1, 3, 24, 100])
    func `a bulk reader's prefetch stays within the total, and one partition may use all of it`(
        partitions: Int
    ) throws {
        var prefetch = KafkaPrefetch.bulk
        prefetch.partitions = partitions
        let settings = try KafkaConfiguration(bootstrapServers: "a:1")
            .settings(for: .reader(group: "g"), prefetch: prefetch)
        func value(_ name: String) throws -> Int {
            try #require(settings.last { $0.name == name }.flatMap { Int($0.value) })
        }
        let queued = try value("queued.max.messages.kbytes") << 10
        let fetched = try value("fetch.message.max.bytes")
        #expect(partitions * (queued + 4 * fetched) <= 128 << 20)
        #expect(try value("fetch.max.bytes") >= fetched)
        if partitions == 1 { #expect(queued == 64 << 20 && fetched == 8 << 20) }
        // The number of records must not be the first limit reached. Apple's records have 2.5 KB.
        #expect(try value("queued.min.messages") * 2_500 >= queued)
        // A long poll at the end of one partition would delay the broker's other partitions.
        #expect(try value("fetch.wait.max.ms") <= 10)
    }

    @Test func `a long poll of empty partitions delays the others only briefly`() throws {
        let settings = try KafkaConfiguration(bootstrapServers: "a:1").effectiveProperties(for: .consumer(group: "g"))
        let wait = try #require(settings["fetch.wait.max.ms"].flatMap { Int($0) })
        // Below 20 ms, the requests of idle consumers would cost the brokers more than they save.
        #expect((20...100).contains(wait))
    }

    @Test func `a caller's prefetch limit applies to each partition`() throws {
        let configuration = try KafkaConfiguration(
            bootstrapServers: "a:1", properties: ["queued.max.messages.kbytes": "4096"])
        let consumer = configuration.effectiveProperties(for: .consumer(group: "g"))
        #expect(consumer["queued.max.messages.kbytes"] == "4096")
    }

    @Test func `a larger message limit for producers does not affect consumers`() async throws {
        let configuration = try KafkaConfiguration(
            bootstrapServers: "127.0.0.1:1", properties: ["message.max.bytes": "50000000"])
        #expect(configuration.effectiveProperties(for: .producer)["message.max.bytes"] == "50000000")
        let consumer = KafkaConsumer(configuration, source: .partitions([:])) { _ in }
        try await consumer.start()
        await consumer.close(within: .seconds(2))
    }

    @Test func `each client receives only the properties that apply to it`() throws {
        let configuration = try KafkaConfiguration(
            bootstrapServers: "a:1", properties: ["linger.ms": "7", "session.timeout.ms": "6000", "client.id": "c"])
        #expect(configuration.effectiveProperties(for: .producer)["session.timeout.ms"] == nil)
        #expect(configuration.effectiveProperties(for: .consumer(group: "g"))["linger.ms"] == nil)
        let admin = configuration.effectiveProperties(for: .admin)
        #expect(admin["linger.ms"] == nil)
        #expect(admin["session.timeout.ms"] == nil)
        #expect(admin["client.id"] == "c")
    }

    @Test func `a reader without a group has no assignment strategy and is not a static member`() throws {
        let configuration = try KafkaConfiguration(
            bootstrapServers: "a:1", properties: ["group.instance.id": "member", "fetch.min.bytes": "7"])
        let reader = configuration.effectiveProperties(for: .reader(group: "g"))
        #expect(reader["group.id"] == "g")
        #expect(reader["isolation.level"] == "read_committed")
        #expect(reader["auto.offset.reset"] == "error")
        #expect(reader["fetch.min.bytes"] == "7")
        #expect(reader["partition.assignment.strategy"] == nil)
        #expect(reader["group.instance.id"] == nil)
    }

    @Test func `a reader without a group uses the group name of its executable`() throws {
        let configuration = try KafkaConfiguration(
            bootstrapServers: "a:1", properties: ["client.id": "sluice-ingress"])
        #expect(configuration.readerGroup == "sluice-ingress")
        #expect(try KafkaConfiguration(bootstrapServers: "a:1").readerGroup == "rdkafka")
    }

    @Test(.enabled(if: librdkafkaVersion.compare("2.4", options: .numeric) != .orderedAscending, "librdkafka is older"))
    func `a group with the consumer protocol has no properties of the classic protocol`() throws {
        let configuration = try KafkaConfiguration(bootstrapServers: "a:1", properties: ["group.protocol": "consumer"])
        let member = configuration.effectiveProperties(for: .consumer(group: "g"))
        #expect(member["group.protocol"] == "consumer")
        for name in ["session.timeout.ms", "heartbeat.interval.ms", "partition.assignment.strategy"] {
            #expect(member[name] == nil, "\(name)")
        }
        for role in [KafkaConfiguration.Role.reader(group: "g"), .producer, .admin] {
            #expect(configuration.effectiveProperties(for: role)["group.protocol"] == nil)
        }
    }

    @Test(arguments: [KafkaConfiguration.Profile.production, .embedded])
    func `librdkafka logs no warning about the default properties of a client`(
        profile: KafkaConfiguration.Profile
    ) async throws {
        let configuration = try KafkaConfiguration(bootstrapServers: "127.0.0.1:1", profile: profile)
        let events = Events()
        let producer = try KafkaProducer(configuration, topics: ["a"], onEvent: events.receive)
        let admin = try KafkaAdmin(configuration, onEvent: events.receive)
        // The first connection failure is reported after all warnings about the configuration.
        #expect(await eventually { events.all.contains { if case .error = $0 { true } else { false } } })
        let warnings = events.all.filter { if case .log(let line) = $0 { line.facility == "CONFWARN" } else { false } }
        #expect(warnings.isEmpty)
        await producer.close(within: .zero)
        await admin.close(within: .seconds(2))
    }

    @Test func `a combination that librdkafka rejects is an error of the client, not a crash`() throws {
        let configuration = try KafkaConfiguration(
            bootstrapServers: "a:1", properties: ["max.in.flight.requests.per.connection": "6"])
        let error = #expect(throws: KafkaError.self) { try KafkaProducer(configuration, topics: ["a"]) }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.message.contains("max.in.flight") == true)
    }
}
