internal import Foundation

/// The results of a run, printed and written as JSON.
struct BenchReport {
    /// The limit for a figure.
    enum Bar {
        case atMost(Double)
        case atLeast(Double)

        func isMet(by value: Double) -> Bool {
            switch self {
            case .atMost(let limit): value <= limit
            case .atLeast(let limit): value >= limit
            }
        }

        fileprivate var limit: Double {
            switch self {
            case .atMost(let limit), .atLeast(let limit): limit
            }
        }

        fileprivate var words: String {
            switch self {
            case .atMost: "at most"
            case .atLeast: "at least"
            }
        }
    }

    private struct JudgedFigure: Encodable {
        let value: Double
        let bar: String
        let met: Bool
    }

    private struct File: Encodable {
        let figures: [String: Double]
        let bars: [String: JudgedFigure]
        let noise: [String: Double]
        let skipped: [String: String]
    }

    private var figures: [String: Double] = [:]
    private var bars: [String: JudgedFigure] = [:]
    private var noises: [String: Double] = [:]
    private var skipped: [String: String] = [:]

    /// The names of the figures that missed their limits, sorted.
    var missed: [String] { bars.filter { !$0.value.met }.keys.sorted() }

    func section(_ title: String) { print("\n\(title)") }

    /// Prints one line and stores the value under `name`.
    ///
    /// - Parameter noise: the noise measured in the same run, which limits the precision of the value.
    mutating func add(
        _ name: String, _ value: Double, _ unit: String, digits: Int = 1, bar: Bar? = nil, noise: Noise? = nil
    ) {
        figures[name] = value
        var line = "  \(Self.padded(name)) \(Self.text(value, digits)) \(unit)"
        if let noise {
            noises[name] = noise.percent
            line += " (noise \(Self.text(noise.percent, 1)) %)"
        }
        if let bar {
            let isMet = bar.isMet(by: value)
            let text = "\(bar.words) \(Self.text(bar.limit, 2))"
            bars[name] = JudgedFigure(value: value, bar: text, met: isMet)
            line += "; \(text): \(isMet ? "met" : "MISSED")"
        }
        print(line)
    }

    /// Records the reason why a figure was not measured.
    mutating func skip(_ name: String, because reason: String) {
        skipped[name] = reason
        print("  \(Self.padded(name)) skipped: \(reason)")
    }

    func write(to path: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        let file = URL(fileURLWithPath: path)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try encoder.encode(File(figures: figures, bars: bars, noise: noises, skipped: skipped)).write(to: file)
    }

    private static func padded(_ name: String) -> String { name.padding(toLength: 46, withPad: " ", startingAt: 0) }

    private static func text(_ value: Double, _ digits: Int) -> String { String(format: "%.\(digits)f", value) }
}
