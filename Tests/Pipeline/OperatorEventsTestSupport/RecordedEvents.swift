internal import JSON
internal import JSONTestSupport
internal import Kafka
package import OperatorEvents
internal import Synchronization

/// Operator events published by code under test.
package struct RecordedEvents: Sendable {
    private final class Box: Sendable { let records = Mutex<[KafkaProducerRecord]>([]) }

    private let box: Box
    package let events: OperatorEvents

    package init() {
        let box = Box()
        self.box = box
        events = OperatorEvents(
            OperatorEventMember(executable: "test", instance: "host:1", release: "0.0.0"), topic: "test.operations"
        ) { _, record in
            box.records.withLock { $0.append(record) }
        }
    }

    /// The published events in the format of ``line(of:)``.
    package var lines: [String] { box.records.withLock { $0 }.map { Self.line(of: $0.value) } }

    /// Returns an event as one line, such as `receiver.stopped crm {"reason":"gone"}`, or its differences from the
    /// published schema.
    package static func line(of value: [UInt8]?) -> String {
        guard let value, let event = (try? JSONValue(json: value))?.object else { return "not an object" }
        let faults = (try? JSONSchema.deployed("operator-event.schema.json").faults(in: value)) ?? ["no schema"]
        guard faults.isEmpty else { return "\(faults) \(String(decoding: value, as: UTF8.self))" }
        let type = event["type"]?.string?.replacing("dev.sluice.", with: "")
        let data = (event["data"]?.json).map { String(decoding: $0, as: UTF8.self) }
        return [type, event["subject"]?.string, data == "{}" ? nil : data].compactMap { $0 }.joined(separator: " ")
    }
}
