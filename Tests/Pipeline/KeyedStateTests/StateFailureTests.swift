import Kafka
import Lifecycle
import PipelineRuntime
import PipelineTestSupport
import Synchronization
import Telemetry
import TestSupport
import Testing

@testable import KeyedState

/// A member that can no longer read the state's topics ends. It does not continue with outdated rows.
@Suite(.timeLimit(.minutes(2)), .serialized) struct StateFailureTests {
    @Test(arguments: [
        (
            KafkaConsumerEvent.offsetOutOfRange(KafkaTopicPartition(topic: "out", partition: 0), 7),
            ExitCode.offsetOutOfRange, "out[0] no longer has offset 7"
        ),
        (
            .damaged(KafkaTopicPartition(topic: "out", partition: 0), 7, KafkaError(.badMessage, "CRC32C")),
            .damagedLog, "out[0] cannot be read at or after offset 7: CRC32C"
        ),
        (
            .fatal(KafkaError(.fatal, "fenced", isFatal: true)), .failure, "the Kafka client failed permanently"
        ),
    ])
    func `a permanent failure of the reader ends the process`(
        event: KafkaConsumerEvent, exitCode: ExitCode, line: String
    ) async throws {
        let member = try await StateHarness().member()
        let running = RunHarness { try await member.run() }
        member.receive(event)
        let failure = try await running.failed()
        #expect(failure?.exitCode == exitCode)
        #expect(failure?.line.contains(line) == true)
        #expect(member.obstacle != nil)
        await member.end()
    }

    @Test func `a transient error does not end the process`() async throws {
        let harness = try StateHarness()
        let member = try await harness.member()
        let running = RunHarness { try await member.run() }
        member.receive(.error(KafkaError(.allBrokersDown, "for a moment")))
        try await member.partitionAssigned(harness.place())
        try await harness.write("a", NumberSet("a", [1]).text)
        #expect(await eventually { (try? await member.dump()) == ["a=1"] })
        running.end()
        await member.end()
    }

    @Test(.enabled(if: ApacheKafka.isAvailable, "\(ApacheKafka.absence)"))
    func `a running member ends when its topic on Apache Kafka is recreated`() async throws {
        let harness = try await StateHarness.onApacheKafka(["cleanup.policy": "compact"])
        let member = try await harness.member()
        let running = RunHarness { try await member.run() }
        try await member.partitionAssigned(harness.place())
        _ = try await member.merge([NumberSet("a", [1]), NumberSet("b", [1])], from: harness.input)
        let place = KafkaTopicPartition(topic: harness.output, partition: 0)
        try await waitUntil { member.progress.next(of: place) == 2 }
        _ = try await ApacheKafka.shared().tool("kafka-topics.sh", ["--delete", "--topic", harness.output.rawValue])
        try await harness.create([harness.output: ["cleanup.policy": "compact"]])
        let failure = try await running.failed()
        #expect(failure?.exitCode == .offsetOutOfRange)
        await member.end()
        // Its rows are published to the new topic at the next start.
        let again = try await harness.member()
        try await again.partitionAssigned(harness.place())
        #expect(try await harness.lastValues() == ["a": "a=1", "b": "b=1"])
        await again.end()
    }

    @Test func `a stop waits for running followers`() async throws {
        let followers = StateFollowers(on: HandlerThreads.shared)
        let gate = Gate()
        let isDone = Atomic(false)
        followers.begin {
            await gate.pass()
            isDone.store(true, ordering: .sequentiallyConsistent)
        }
        #expect(await !followers.end(within: .milliseconds(20)))
        async let isOver = followers.end(within: .seconds(20))
        gate.open()
        #expect(await isOver)
        let wasAwaited = isDone.load(ordering: .sequentiallyConsistent)
        #expect(wasAwaited)
        followers.begin { Issue.record("started after the end") }
        #expect(await followers.end(within: .seconds(1)))
    }
}
