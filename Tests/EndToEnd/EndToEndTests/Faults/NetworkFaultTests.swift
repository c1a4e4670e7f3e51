import Foundation
import HTTPClient
import TestSupport
import Testing

extension EndToEnd {
    /// The network between ingress and broker delays, throttles, cuts, resets or drops connections.
    @Suite(
        .enabled(if: ApacheKafka.canStart, "\(ApacheKafka.faultAbsence)"),
        .enabled(if: Toxiproxy.path != nil, "\(Toxiproxy.absence)"))
    struct NetworkFaultsOnApacheKafka {
        /// A fault applied to the connections in both directions.
        struct Toxic: Sendable, CustomStringConvertible {
            let type: String
            let attributes: [String: Int]
            /// Whether no record can be acknowledged.
            let isOutage: Bool
            /// Whether the short form of the suite includes it.
            var isShort = false
            var description: String {
                ([type] + attributes.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" })
                    .joined(separator: " ")
            }
        }

        static let toxics = [
            Toxic(type: "latency", attributes: ["latency": 150, "jitter": 100], isOutage: false, isShort: true),
            Toxic(type: "latency", attributes: ["latency": 6000], isOutage: true),
            Toxic(
                type: "slicer", attributes: ["average_size": 64, "size_variation": 32, "delay": 50], isOutage: false,
                isShort: true),
            Toxic(type: "bandwidth", attributes: ["rate": 20], isOutage: false),
            Toxic(type: "timeout", attributes: ["timeout": 0], isOutage: true, isShort: true),
            Toxic(type: "reset_peer", attributes: ["timeout": 0], isOutage: true, isShort: true),
            Toxic(type: "reset_peer", attributes: ["timeout": 400], isOutage: false),
        ]

        @Test func `under every network fault each 200 has its record and other requests are answered 503`()
            async throws
        {
            try await Harness.open { harness in
                let proxy = try await ProxiedKafka.start(harness)
                let broker = try await harness.apacheKafka(proxy.cluster)
                let ingress = try await harness.ingress(on: broker, for: try await harness.simulatedApp())
                let toxics = TestScale.choose(short: Self.toxics.filter(\.isShort), long: Self.toxics)
                for (number, toxic) in toxics.enumerated() {
                    try await inject(toxic, proxy, broker, ingress, harness, seed: UInt64(number + 1))
                }
                try await proxy.cluster.stop()
            }
        }
    }
}

extension EndToEnd.NetworkFaultsOnApacheKafka {
    private func inject(
        _ toxic: Toxic, _ proxy: ProxiedKafka, _ broker: Broker, _ ingress: Ingress, _ harness: Harness, seed: UInt64
    ) async throws {
        let load = try Load(to: ingress.url, pki: harness.path("pki"), perSecond: 50, seed: seed)
        var poisoned = ContinuousClock.now
        var healed = ContinuousClock.now
        var again = Duration.zero
        let known = Set(try await broker.notificationUUIDs())
        let outcomes = try await load.run {
            try await load.wait(for: 20, ingress.process) { $0.isAcknowledged }
            try await proxy.add(toxic.type, toxic.attributes)
            poisoned = .now
            await pass(TestScale.choose(short: .seconds(toxic.isOutage ? 6 : 3), long: .seconds(20)))
            try await proxy.removeAll()
            healed = .now
            again = try await load.waitForAcknowledgement(begunAfter: healed, ingress.process, within: .seconds(20))
            try await load.wait(for: 20, ingress.process) { $0.isAcknowledged && $0.begun > healed }
        }
        // Excludes records of earlier toxics.
        let ledger = Ledger(outcomes, records: try await broker.notificationUUIDs().filter { !known.contains($0) })
        ledger.check(ingress.process)
        #expect(try #require(outcomes.map(\.duration).max()).keeps(.milliseconds(5500)), "\(toxic)")
        #expect(again.keeps(.seconds(10)), "\(toxic)")
        let meanwhile = outcomes.filter { $0.begun > poisoned && $0.ended < healed }
        if toxic.isOutage { #expect(meanwhile.allSatisfy { $0.answer == .status(503) }, "\(toxic)") }

        var report = FaultReport("network: \(toxic), Apache Kafka behind Toxiproxy")
        report.add("lasted", healed - poisoned)
        ledger.add(to: &report)
        report.add("200 meanwhile", meanwhile.count(where: \.isAcknowledged))
        report.add("200 again after", again)
        try report.publish()
    }
}

/// An Apache Kafka broker that is reachable only through Toxiproxy.
private struct ProxiedKafka {
    let cluster: ApacheKafka
    private let api: String
    private let client = HTTPClient()

    /// The broker must advertise the proxy's address, and the proxy needs the broker's port. The proxy is started first
    /// and configured with the broker's port later.
    static func start(_ harness: Harness) async throws -> ProxiedKafka {
        let port = try freePort()
        _ = try harness.start([
            try #require(Toxiproxy.path), "-host", "127.0.0.1", "-port", "\(port)",
        ])
        let api = "http://127.0.0.1:\(port)"
        let client = HTTPClient()
        defer { client.close() }
        try await waitUntil { (try? await client.send(HTTPClientRequest(url: "\(api)/version")))?.status == 200 }
        let made = try await send(
            "POST", "\(api)/proxies", #"{"name":"kafka","listen":"127.0.0.1:0","upstream":"127.0.0.1:1"}"#, client)
        let address = try #require(made.text("listen"))
        let behind = try await ApacheKafka.start(settings: ["advertised.listeners": "PLAINTEXT://\(address)"])
        _ = try await send("POST", "\(api)/proxies/kafka", #"{"upstream":"\#(behind.bootstrapServers)"}"#, client)
        return ProxiedKafka(cluster: behind.reached(at: address), api: api)
    }

    private init(cluster: ApacheKafka, api: String) {
        self.cluster = cluster
        self.api = api
    }

    func add(_ type: String, _ attributes: [String: Int]) async throws {
        let values = attributes.map { #""\#($0.key)":\#($0.value)"# }.joined(separator: ",")
        for stream in ["upstream", "downstream"] {
            _ = try await Self.send(
                "POST", "\(api)/proxies/kafka/toxics",
                #"{"name":"\#(stream)","type":"\#(type)","stream":"\#(stream)","attributes":{\#(values)}}"#, client)
        }
    }

    func removeAll() async throws { _ = try await Self.send("POST", "\(api)/reset", "", client) }

    private static func send(
        _ method: String, _ url: String, _ body: String, _ client: HTTPClient
    ) async throws -> JSON.Object {
        let answer = try await client.send(HTTPClientRequest(method: method, url: url, body: Array(body.utf8)))
        try #require(
            (200...299).contains(answer.status), "\(answer.status) \(String(decoding: answer.body, as: UTF8.self))")
        return JSON.object(answer.body) ?? [:]
    }
}
