internal import AppStoreModel
internal import Foundation
internal import Kafka
internal import Records

/// Measures the response latency at half of the ingress's maximum rate. It is compared with the time in which the
/// broker alone acknowledges records of the same size, at the same rate and without linger.
struct LatencyBenchmark {
    let generator: LoadGenerator
    let bootstrapServers: String
    let rounds: Int
    let seconds: Double
    let perSecond: Double
    let recordBytes: Int

    func run(into report: inout BenchReport) throws {
        report.section("latency at half load, \(Int(perSecond)) notifications/s on 256 connections")
        let topic = TopicNames().notifications(.production)
        let configuration = try KafkaConfiguration(
            bootstrapServers: bootstrapServers, properties: ["linger.ms": "0", "compression.codec": "none"])
        let producer = try KafkaProducer(configuration, topics: [topic])
        try wait { producer.status.isReady }
        var answers: [Distribution] = []
        var acknowledgements: [Distribution] = []
        for _ in 0..<rounds {
            answers.append(
                try generator.run(.init(connections: 256, perSecond: perSecond, seconds: seconds)).latencies)
            acknowledgements.append(try acknowledge(producer, topic))
        }
        func median(_ distributions: [Distribution], _ share: Double) -> Double {
            Distribution(distributions.map { $0.percentile(share) }).median
        }
        for (name, share) in [("p50", 0.5), ("p99", 0.99)] {
            report.add("latency.answer_\(name)_ms", median(answers, share), "ms", digits: 2)
            report.add("latency.broker_\(name)_ms", median(acknowledgements, share), "ms", digits: 2)
        }
        report.add(
            "latency.p99_above_broker_ms", median(answers, 0.99) - median(acknowledgements, 0.99),
            "ms of the answer's p99 above the broker's", digits: 2, bar: .atMost(10))
    }

    private func acknowledge(_ producer: KafkaProducer, _ topic: KafkaTopic) throws -> Distribution {
        let outcomes = Outcomes<Result<Double, KafkaError>>()
        let value = [UInt8](repeating: UInt8(ascii: "a"), count: recordBytes)
        let start = Clocks.monotonic
        let end = start + seconds * 1e9
        var pace = Pace(perSecond: perSecond, from: start)
        var sent = 0
        while Clocks.monotonic < end {
            while let due = pace.take(at: Clocks.monotonic) {
                let record = KafkaProducerRecord(topic: topic, key: Array("\(sent)".utf8), value: value)
                producer.send(record) { result in outcomes.add(result.map { _ in (Clocks.monotonic - due) / 1e6 }) }
                sent += 1
            }
            Thread.sleep(forTimeInterval: 0.001)
        }
        try wait { outcomes.values.count == sent }
        return Distribution(try outcomes.values.map { try $0.get() })
    }

    private func wait(until isReached: () -> Bool) throws {
        let deadline = Clocks.monotonic + 10e9
        while !isReached() {
            guard Clocks.monotonic < deadline else { throw BenchFailure("the broker is unreachable") }
            Thread.sleep(forTimeInterval: 0.01)
        }
    }
}
