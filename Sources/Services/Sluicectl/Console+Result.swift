internal import CommandLine
internal import Configuration
internal import JSON

extension Console {
    /// Prints a command's result in the format selected by `--output`.
    ///
    /// - Parameters:
    ///   - text: the result for people.
    ///   - lines: the result for scripts, one JSON value per line.
    func write(
        _ configuration: Configuration, text: @autoclosure () -> String, lines: @autoclosure () -> [[UInt8]]
    ) async {
        switch configuration[OperationsSettings.output] {
        case .text: await write(text())
        case .json: for line in lines() { await write(line: line) }
        }
    }

    func write(
        _ configuration: Configuration, text: @autoclosure () -> String, json: @autoclosure () -> [UInt8]
    ) async {
        await write(configuration, text: text(), lines: [json()])
    }

    func write(
        _ configuration: Configuration, text: @autoclosure () -> String, json: @autoclosure () -> JSONObject
    ) async {
        await write(configuration, text: text(), lines: [JSONValue.object(json()).json])
    }
}
