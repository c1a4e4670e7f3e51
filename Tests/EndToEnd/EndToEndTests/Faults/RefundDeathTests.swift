import AppStoreModel
import Foundation
import HTTPClient
import Kafka
import Records
import TestSupport
import Testing

extension EndToEnd {
    /// `sluice-refunds` is killed after Apple has received an answer and before the answer is recorded.
    @Suite struct RefundDeaths {
        @Test func `members killed between sending and recording send one body for each case`() async throws {
            try await Harness.open { harness in
                try await kill(
                    TestScale.choose(short: 4, longTimes: 100),
                    on: try await harness.embeddedBroker(groups: ["sluice-refunds"]), harness)
            }
        }

        @Test(.enabled(if: ApacheKafka.isAvailable, "\(ApacheKafka.absence)"))
        func `members killed on Apache Kafka between sending and recording send one body for each case`() async throws {
            try await Harness.open { harness in
                try await kill(
                    TestScale.choose(short: 2, longTimes: 100), on: try await harness.apacheKafka(), harness)
            }
        }

        /// Kills members repeatedly while they wait for a response from Apple, with three cases per kill.
        private func kill(_ kills: Int, on broker: Broker, _ harness: Harness) async throws {
            let count = kills * 3
            _ = try await harness.simulatedApp()
            let api = try await RefundsAPI(harness, ["--api-faults", "latency=100%", "--api-latency", "60ms"])
            let ids = (1...count).map { "\(1_000_000 + $0)" }
            try await broker.writeAtOnce(ids.map { RefundRequests.record($0, broker) })
            // The broker removes a killed member when its session ends.
            let settings = ["--kafka.session.timeout.ms", "6000", "--kafka.heartbeat.interval.ms", "500"]
            var member = try harness.refunds(on: broker, api, settings: settings)
            var killed = 0
            while killed < kills {
                let answered = try await api.answers().count
                // The response to the current request is sent 60 ms later.
                try await waitUntil(within: .seconds(60)) {
                    try await api.answers().count > answered || member.ended != nil
                }
                try #require(member.ended == nil, "\(member)")
                member.signal(SIGKILL)
                _ = try await member.end(within: .seconds(10))
                killed += 1
                // Every second restart uses a different disk, because only the data in Kafka matters.
                member = try harness.refunds(on: broker, api, data: "refunds-\(killed / 2)", settings: settings)
            }
            try await RefundRequests.wait(for: count, on: broker, api, member)
            try await report(
                "kill -9 of sluice-refunds between sending and recording", on: broker, api, count, kills: kills,
                atMost: count + kills)
            await member.stop()
        }

        @Test func `cases are answered with one body each while 3 of 10 calls to Apple's API fail`() async throws {
            try await Harness.open { harness in
                try await storm(
                    TestScale.choose(short: 20, longTimes: 1_000),
                    on: try await harness.embeddedBroker(groups: ["sluice-refunds"]), harness)
            }
        }

        @Test(.enabled(if: ApacheKafka.isAvailable, "\(ApacheKafka.absence)"))
        func `cases on Apache Kafka are answered with one body each while 3 of 10 calls to Apple's API fail`()
            async throws
        {
            try await Harness.open { harness in
                try await storm(
                    TestScale.choose(short: 20, longTimes: 1_000), on: try await harness.apacheKafka(), harness)
            }
        }

        private func storm(_ count: Int, on broker: Broker, _ harness: Harness) async throws {
            _ = try await harness.simulatedApp()
            let api = try await RefundsAPI(harness, ["--api-faults", "500=10%,429=5%,lost=10%,reset=5%"])
            let ids = (1...count).map { "\(3_000_000 + $0)" }
            try await broker.writeAtOnce(ids.map { RefundRequests.record($0, broker) })
            let member = try harness.refunds(on: broker, api)
            try await RefundRequests.wait(for: count, on: broker, api, member)
            // Each failed response is followed by another request, with the same body.
            try await report(
                "sluice-refunds with 30 % of Apple's answers failing", on: broker, api, count, kills: 0,
                atMost: count * 2)
            await member.stop()
        }

        private func report(
            _ title: String, on broker: Broker, _ api: RefundsAPI, _ count: Int, kills: Int, atMost limit: Int
        ) async throws {
            let answers = try await api.answers()
            let bodies = Dictionary(grouping: answers, by: \.id).mapValues { Set($0.map(\.body)) }
            #expect(bodies.count == count)
            #expect(bodies.values.allSatisfy { $0.count == 1 })
            #expect(answers.count <= limit)
            var report = FaultReport("\(title), \(broker.isEmbedded ? "embedded broker" : "Apache Kafka")")
            report.add("cases", count)
            report.add("kills", kills)
            report.add("requests to Apple", answers.count)
            report.add("cases with two bodies", bodies.values.count { $0.count > 1 })
            try report.publish()
        }

        @Test func `a member that takes over a partition sends the frozen answers of the killed one`() async throws {
            try await Harness.open { harness in
                _ = try await harness.simulatedApp()
                let broker = try await harness.embeddedBroker(groups: ["sluice-refunds"])
                // Apple accepts nothing while the first member runs.
                let failing = try await RefundsAPI(harness, ["--api-faults", "500=100%"])
                let ids = (1...20).map { "\(2_000_000 + $0)" }
                try await broker.writeAtOnce(ids.map { RefundRequests.record($0, broker) })
                let session = ["--kafka.session.timeout.ms", "6000", "--kafka.heartbeat.interval.ms", "1000"]
                let first = try harness.refunds(on: broker, failing, data: "a", settings: session)
                try await waitUntil(within: .seconds(40)) {
                    try await RefundRequests.frozen(broker).count == ids.count
                }
                let frozen = try await RefundRequests.frozen(broker)
                first.signal(SIGKILL)
                _ = try await first.end(within: .seconds(10))
                let api = try await RefundsAPI(harness, [])
                // Its own rules would decide differently.
                let second = try harness.refunds(
                    on: broker, api, data: "b", rules: RefundRequests.rules("grantFull"), settings: session)
                try await waitUntil(within: .seconds(60)) {
                    try await RefundRequests.statuses(broker).values.count { $0 == "accepted" } == ids.count
                }
                for answer in try await api.answers() { #expect(frozen[answer.id] == answer.body) }
                #expect(try await api.answers().count == ids.count)
                await second.stop()
            }
        }
    }
}

/// The App Store Server API, served by a simulator.
struct RefundsAPI {
    let port: Int64
    private let http = HTTPClient()

    init(_ harness: Harness, _ arguments: [String]) async throws {
        let process = try harness.start(
            Executable(
                "sluice-simulator",
                arguments: ["serve", "--pki", harness.path("pki"), "--accept-unknown"] + arguments))
        try await waitUntil { process.output.contains("\n") || process.ended != nil }
        port = try #require(JSON.object(process.output)?.integer("port"), "\(process)")
    }

    var url: String { "http://127.0.0.1:\(port)" }

    /// Returns the received answers, in order.
    func answers() async throws -> [(id: String, body: String)] {
        let answer = try await http.send(HTTPClientRequest(url: "\(url)/simulator/consumption"))
        return try String(decoding: answer.body, as: UTF8.self).split(separator: "\n").map { line in
            let object = try #require(JSON.object(String(line)))
            return (try #require(object.text("transactionId")), object.text("body") ?? "")
        }
    }
}

/// CONSUMPTION_REQUEST records and the resulting cases.
enum RefundRequests {
    static func rules(_ outcome: String) -> String {
        """
        {"default":"\(outcome)","consumption":{"customerConsented":true,"deliveryStatus":"DELIVERED",\
        "sampleContentProvided":false}}
        """
    }

    static func record(
        _ id: String, _ broker: Broker, in environment: AppStoreEnvironment = .production
    ) -> KafkaProducerRecord {
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        let value = """
            {"notification":{"notificationType":"CONSUMPTION_REQUEST","notificationUUID":"\(id)","signedDate":\(now),\
            "version":"2.0","data":{"bundleId":"com.example.app","environment":"\(environment.rawValue)",\
            "consumptionRequestReason":"OTHER"}},"transaction":{"transactionId":"\(id)","originalTransactionId":"\(id)",\
            "bundleId":"com.example.app","productId":"coins","type":"Consumable","environment":"\(environment.rawValue)",\
            "inAppOwnershipType":"PURCHASED","purchaseDate":\(now - 86_400_000),"signedDate":\(now)}}
            """
        return KafkaProducerRecord(
            topic: broker.notifications(environment), key: Array("com.example.app/\(id)".utf8),
            value: Array(value.utf8),
            headers: [
                KafkaHeader(key: RecordHeaderName.trust.rawValue, text: "signed"),
                KafkaHeader(
                    key: RecordHeaderName.receivedTime.rawValue,
                    text: AppStoreInstant(clampingMillisecondsSince1970: now).description),
            ])
    }

    /// Waits until this number of cases is accepted and recorded in Kafka.
    static func wait(for count: Int, on broker: Broker, _ api: RefundsAPI, _ member: ChildProcess) async throws {
        try await waitUntil(within: .seconds(3600)) {
            Set(try await api.answers().map(\.id)).count == count || member.ended != nil
        }
        try #require(member.ended == nil, "\(member)")
        try await waitUntil(within: .seconds(600)) {
            try await statuses(broker).values.count { $0 == "accepted" } == count || member.ended != nil
        }
        try #require(member.ended == nil, "\(member)")
    }

    /// Returns `answerStatus` of each case.
    static func statuses(_ broker: Broker) async throws -> [String: String] {
        var statuses: [String: String] = [:]
        for record in try await broker.records(of: broker.topics.refunds(.production)) {
            guard let object = record.value.flatMap({ JSON.object($0) }), let id = object.text("transactionId") else {
                continue
            }
            statuses[id] = object.text("answerStatus")
        }
        return statuses
    }

    /// Returns the first frozen body of each case.
    static func frozen(_ broker: Broker) async throws -> [String: String] {
        var bodies: [String: String] = [:]
        for record in try await broker.records(of: broker.topics.refunds(.production)) {
            guard let id = record.value.flatMap({ JSON.object($0) })?.text("transactionId"),
                let proposal = record.header("sluice.proposal")?.value.flatMap({ JSON.object($0) }), bodies[id] == nil
            else { continue }
            bodies[id] = proposal.text("body")
        }
        return bodies
    }
}

extension Harness {
    /// Starts a `sluice-refunds` without waiting until it is ready.
    ///
    /// - Parameter data: the name of its directory.
    func refunds(
        on broker: Broker, _ api: RefundsAPI, data: String = "refunds", rules: String = RefundRequests.rules("decline"),
        settings: [String] = []
    ) throws -> ChildProcess {
        let file = try write(rules, to: "rules-\(data).json")
        return try start(
            Executable(
                "sluice-refunds",
                arguments: broker.arguments
                    + [
                        "--data.dir", path(data), "--admin.port", "0",
                        "--apps", SentApp.simulated, "--root.certificates", path("pki/root.pem"), "--revocation",
                        "off", "--appstore.api.issuer.id", "57246542-96fe-1a63-e053-0824d011072a",
                        "--appstore.api.key.id", "2X9R4HXF34", "--appstore.api.key.file", path("pki/api.key.p8"),
                        "--appstore.api.url", api.url, "--refunds.rules", file,
                    ] + settings))
    }
}
