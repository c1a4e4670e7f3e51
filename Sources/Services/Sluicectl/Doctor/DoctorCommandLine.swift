internal import Configuration

/// The command line of `sluicectl doctor` as the checked executable would read it.
struct DoctorCommandLine {
    /// The arguments without the command's name and its own flags.
    let arguments: [String]
    /// The file named by `--config` or, without it, by `SLUICE_CONFIG`.
    let configurationFile: String?

    /// - Parameter arguments: the arguments of `sluicectl`, already parsed once.
    init(_ arguments: [String], name: String, ownKeys: [String], environment: [String: String]) {
        var kept: [String] = []
        var file = environment["SLUICE_CONFIG"]
        var isNamed = false
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            guard argument.hasPrefix("--") else {
                if argument == name, !isNamed { isNamed = true } else { kept.append(argument) }
                continue
            }
            let key = String(argument.dropFirst(2).prefix { $0 != "=" })
            // Each of these flags has a value, because the schemas contain no switches.
            let text = argument.contains("=") ? nil : rest.popFirst()
            if key == "config" { file = text ?? String(argument.dropFirst("--config=".count)) }
            if !ownKeys.contains(key) { kept += [argument] + (text.map { [$0] } ?? []) }
        }
        self.arguments = kept
        configurationFile = file
    }
}
