package import Configuration

/// The output format for a command's result.
package enum OutputFormat: String, CaseIterable, Sendable {
    case text, json

    /// The output format flag, shared by all commands that print a result.
    package static let flag = Setting<OutputFormat>.oneOf(
        "output", default: .text, help: "text for people, json for scripts."
    ).onCommandLineOnly
}
