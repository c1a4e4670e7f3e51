internal import CommandLine
internal import Configuration
internal import JSON

/// The output of `list`: a table that grows as records are read, or one JSON object per line for scripts.
final class RecoveryRows {
    private let console: Console
    private let output: OutputFormat
    private var left: Int?
    private var isBegun = false
    private let names: [String]

    init(_ names: [String], _ configuration: Configuration, _ console: Console) {
        self.names = names
        self.console = console
        output = configuration[OperationsSettings.output]
        left = configuration[OperationsSettings.recordLimit]
    }

    /// - Returns: false if the limit has been reached or the output is closed.
    func add(_ cells: [String], json: JSONObject) async -> Bool {
        if let left {
            guard left > 0 else { return false }
            self.left = left - 1
        }
        switch output {
        case .json: return await console.write(line: JSONValue.object(json).json) && left != 0
        case .text:
            // Typical column widths, because rows are printed immediately instead of being measured first.
            let widths = [8, 20, 20, 24, 12, 36, 6]
            if !isBegun {
                isBegun = true
                guard await console.write(PlainText.line(names, widths: widths) + "\n") else { return false }
            }
            let line = PlainText.line(cells.map { PlainText.printable($0, maximum: 200) }, widths: widths)
            return await console.write(line + "\n") && left != 0
        }
    }
}
