import Configuration
import Foundation
import Glibc
import Kafka
import PipelineRuntime

/// A consumer for crash tests. Its handler traps at a record with value `trap`, exhausts its stack at `deep`, never
/// returns at `hang`, runs long at `pause` and `wait`, and appends each finished value to a file as a line.
@main struct PipelineProbe {
    private struct Handler: RecordHandler {
        let output: FileHandle

        func handle(_ record: KafkaRecord) async throws -> HandlerVerdict {
            let value = String(decoding: record.value ?? [], as: UTF8.self)
            if value == "trap" { fatalError("a handler's bug") }
            if value == "deep" { try output.write(contentsOf: Data("\(Self.depth(of: 0))".utf8)) }
            if value == "hang" { while true { _ = Glibc.sleep(3600) } }
            if value == "pause" { try await Task.sleep(for: .seconds(1)) }
            if value == "wait" { try await Task.sleep(for: .seconds(3600)) }
            try output.write(contentsOf: Data("\(value)\n".utf8))
            return .done
        }

        /// Recurses practically forever. The result is used after each return so that calls are not optimized away.
        @inline(never) private static func depth(of number: Int) -> Int {
            number == .max ? 0 : 1 + depth(of: number + 1) % 7
        }
    }

    private static let output = Setting.string("probe.output", help: "The file.")
    private static let topic = Setting.string("probe.topic", help: "The topic to read.")

    static func main() async {
        await ConsumerApplication(
            name: "pipeline-probe", summary: "For tests.", adminPort: 0, schema: ConfigurationSchema([output, topic]),
            topics: { ConsumerTopics(input: [KafkaTopicExpectation(topic: KafkaTopic(rawValue: $0[topic]))]) }
        ) { context in
            let path = context.configuration[output]
            try Data().write(to: URL(filePath: path))
            let file = try FileHandle(forWritingTo: URL(filePath: path))
            return ConsumerParts(handler: .records(Handler(output: file)))
        }.main()
    }
}
