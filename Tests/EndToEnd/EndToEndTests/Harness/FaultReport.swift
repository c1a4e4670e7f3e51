import Foundation

/// The actions and measurements of a fault suite, which are printed and appended to two files with the stem in
/// `SLUICE_TEST_REPORT`: text to `….txt`, and one JSON object per line to `….jsonl`.
struct FaultReport {
    enum Value: Encodable {
        case count(Int)
        /// A duration, written in milliseconds.
        case time(Duration)
        /// A size, written in bytes.
        case memory(Int)
        case text(String)

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .count(let count): try container.encode(count)
            case .time(let time): try container.encode((time / .milliseconds(1) * 100).rounded() / 100)
            case .memory(let bytes): try container.encode(bytes)
            case .text(let text): try container.encode(text)
            }
        }

        var shown: String {
            switch self {
            case .count(let count): "\(count)"
            case .time(let time) where time < .seconds(1):
                (time / .milliseconds(1)).formatted(.number.precision(.fractionLength(1)).grouping(.never)) + " ms"
            case .time(let time):
                (time / .seconds(1)).formatted(.number.precision(.fractionLength(2)).grouping(.never)) + " s"
            case .memory(let bytes): "\(bytes / 1_048_576) MiB"
            case .text(let text): text
            }
        }
    }

    /// The fault.
    let fault: String
    private var figures: [(name: String, value: Value)] = []

    init(_ fault: String) { self.fault = fault }

    mutating func add(_ name: String, _ value: Value) { figures.append((name, value)) }
    mutating func add(_ name: String, _ count: Int) { add(name, .count(count)) }
    mutating func add(_ name: String, _ time: Duration?) { if let time { add(name, .time(time)) } }

    /// Prints and stores the report.
    func publish() throws {
        let text = "\(fault)\n    " + figures.map { "\($0.name) \($0.value.shown)" }.joined(separator: ", ") + "\n"
        print(text, terminator: "")
        guard let stem = ProcessInfo.processInfo.environment["SLUICE_TEST_REPORT"] else { return }
        try Self.append(text, to: stem + ".txt")
        var line: [String: Value] = ["fault": .text(fault)]
        for figure in figures { line[Self.key(figure.name)] = figure.value }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        try Self.append(String(decoding: encoder.encode(line), as: UTF8.self) + "\n", to: stem + ".jsonl")
    }

    /// Converts a name to a key: `p99 of 200` becomes `p99_of_200`.
    private static func key(_ name: String) -> String {
        String(name.lowercased().map { $0.isLetter || $0.isNumber ? $0 : "_" })
    }

    private static func append(_ text: String, to path: String) throws {
        if !FileManager.default.fileExists(atPath: path) {
            _ = FileManager.default.createFile(atPath: path, contents: nil)
        }
        guard let file = FileHandle(forWritingAtPath: path) else { throw CocoaError(.fileWriteUnknown) }
        defer { try? file.close() }
        try file.seekToEnd()
        try file.write(contentsOf: Data(text.utf8))
    }
}
