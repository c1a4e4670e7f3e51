internal import Bytes

/// Where a command prints: results to standard output, everything else to standard error.
struct Console {
    func print(_ text: String) {
        write(text + "\n", to: .standardOutput)
    }

    func complain(_ text: String) {
        write("sluice-simulator: " + text + "\n", to: .standardError)
    }

    private func write(_ text: String, to file: FileDescriptor) {
        // A closed pipe (`| head`) is the reader's choice.
        try? file.write(text.utf8)
    }
}

/// Why a command cannot do what was asked, in one line with the way out.
struct SimulatorError: Error, CustomStringConvertible {
    let description: String
}
