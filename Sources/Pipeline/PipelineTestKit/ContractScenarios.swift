internal import Kafka
internal import PipelineRuntime

extension HandlerContract {
    /// Runs one scenario, starting with an empty sink.
    ///
    /// - Parameter expected: the effect of handling every record once, or nil if this scenario determines it.
    func run(
        _ scenario: Scenario, expecting expected: [String: String]?
    ) async throws -> (effect: [String: String], violations: [ContractViolation]) {
        let subject = try await subject()
        if scenario == .sinkAway, subject.withholdSink == nil { return ([:], []) }
        let run = try ContractRun(records)
        var problems: [String]
        do {
            problems = try await play(scenario, subject, run)
        } catch {
            await run.end()
            throw error
        }
        await run.end()
        let effect = try await subject.effect()
        if problems.isEmpty {
            problems = Self.differences(effect, expected, mayHoldMore: scenario == .malformedRecords)
        }
        return (effect, problems.map { ContractViolation(scenario: scenario, message: $0) })
    }

    /// Runs a scenario and returns all problems except a wrong effect.
    private func play(_ scenario: Scenario, _ subject: HandlerSubject, _ run: ContractRun) async throws -> [String] {
        let handler = try await subject.handler()
        switch scenario {
        case .once:
            try await run.write(records)
            return try await run.consume(handler, within: limit)
        case .duplicates:
            try await run.write(records.flatMap { [$0, $0] })
            return try await run.consume(handler, within: limit)
        case .otherOrder:
            try await run.write(Self.byKeyReversed(records))
            return try await run.consume(handler, within: limit)
        case .rewind:
            try await run.write(records)
            let first = try await run.consume(handler, within: limit)
            return first.isEmpty ? try await run.consume(handler, asNewGroup: true, within: limit) : first
        case .crash:
            try await run.write(Array(records.prefix(records.count / 2)))
            let first = try await run.consume(handler, within: limit)
            try await run.write(Array(records.dropFirst(records.count / 2)))
            let next = try await subject.handler()
            return first.isEmpty ? try await run.consume(next, asNewGroup: true, within: limit) : first
        case .malformedRecords:
            try await run.write(Self.mixed(records, with: Self.malformedRecords(like: records)))
            return try await run.consume(handler, within: limit)
        case .cancellation:
            let half = records.count / 2
            let lost = try await run.lose(
                handler, after: Array(records.prefix(half)), in: Array(records.dropFirst(half)), within: limit)
            return lost.isEmpty ? try await run.consume(try await subject.handler(), within: limit) : lost
        case .infrastructureFault:
            try await run.write(records)
            return try await run.consume(handler, failing: true, within: limit)
        case .sinkAway:
            return try await withoutSink(handler, subject, run)
        }
    }

    private func withoutSink(
        _ handler: PipelineHandler, _ subject: HandlerSubject, _ run: ContractRun
    ) async throws -> [String] {
        try await subject.withholdSink?(true)
        try await run.write(records)
        return try await run.consume(handler, within: limit) { watch in
            // If the handler blames the record instead of the sink, the record uses up its attempts before the time
            // limit and is dead-lettered.
            let triedEnough = await ContractRun.wait(within: limit) { watch.mostCalls >= 6 || !watch.finished.isEmpty }
            let early = watch.finished.count
            try await subject.withholdSink?(false)
            if !triedEnough { return ["the handler did not retry while its sink was unavailable"] }
            return early == 0 ? [] : ["\(early) records were reported as finished while the sink was unavailable"]
        }
    }

    private static func differences(
        _ effect: [String: String], _ expected: [String: String]?, mayHoldMore: Bool
    ) -> [String] {
        guard let expected else {
            return effect.isEmpty ? ["the effect is empty after every record has been handled once"] : []
        }
        var differences: [String] = []
        for (name, value) in expected.sorted(by: { $0.key < $1.key }) where effect[name] != value {
            let found = effect[name].map { "\"\($0)\"" } ?? "nothing"
            differences.append("the effect of \"\(name)\" is \(found), expected \"\(value)\"")
        }
        if !mayHoldMore {
            for name in effect.keys.sorted() where expected[name] == nil {
                differences.append("unexpected effect of \"\(name)\"")
            }
        }
        return differences
    }

    /// Reverses the order of the keys, which is the order of their first records. The records of each key remain in
    /// order.
    private static func byKeyReversed(_ records: [KafkaProducerRecord]) -> [KafkaProducerRecord] {
        var keys: [[UInt8]?] = []
        for record in records where !keys.contains(record.key) { keys.append(record.key) }
        return keys.reversed().flatMap { key in records.filter { $0.key == key } }
    }

    /// Inserts one of `others` after each of `records`, and the rest at the end.
    private static func mixed(
        _ records: [KafkaProducerRecord], with others: [KafkaProducerRecord]
    ) -> [KafkaProducerRecord] {
        var rest = others[...]
        return records.flatMap { [$0] + (rest.popFirst().map { [$0] } ?? []) } + Array(rest)
    }

    /// Returns records with keys and values that no handler expects. Except for the last record, the keys and
    /// CloudEvents identifiers differ from those of the good records, so none of the good records is replaced.
    private static func malformedRecords(like records: [KafkaProducerRecord]) -> [KafkaProducerRecord] {
        guard let good = records.first, let last = records.last else { return [] }
        let value = good.value ?? []
        let values: [(String, [UInt8]?)] = [
            ("bytes", [0xFF, 0x00, 0xC3, 0x28, 0xFE]), ("tombstone", nil), ("empty", []), ("brace", Array("{".utf8)),
            ("null", Array("null".utf8)), ("list", Array("[[]]".utf8)),
            ("deep", [UInt8](repeating: UInt8(ascii: "["), count: 100_000)),
            ("cut", Array(value.dropLast(value.count / 2))),
        ]
        var malformed = values.enumerated().map { number, value in
            KafkaProducerRecord(
                topic: good.topic, partition: good.partition, key: Array("contract.\(value.0)".utf8), value: value.1,
                headers: good.headers.map { header in
                    header.key == "ce_id"
                        ? KafkaHeader(key: header.key, text: "00000000-0000-4000-8000-00000000000\(number)") : header
                })
        }
        for key: [UInt8]? in [nil, [], [0xFF, 0x00]] {
            for value: [UInt8]? in [nil, Array("x".utf8)] {
                malformed.append(
                    KafkaProducerRecord(topic: good.topic, partition: good.partition, key: key, value: value))
            }
        }
        // A copy of the last good record, with meaningless headers.
        var unknown = last
        unknown.headers = [
            KafkaHeader(key: "ce_type", text: "com.example.unknown"), KafkaHeader(key: "ce_type", value: nil),
            KafkaHeader(key: "", value: [0xFF]), KafkaHeader(key: "traceparent", value: [0, 10, 13]),
        ]
        return malformed + [unknown]
    }
}
