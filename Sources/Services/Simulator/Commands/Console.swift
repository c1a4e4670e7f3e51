internal import Primitives

/// The output of a command: results go to standard output, everything else to standard error.
struct Console {
    func print(_ text: String) {
        write(text + "\n", to: .standardOutput)
    }

    func complain(_ text: String) {
        write("sluice-simulator: " + text + "\n", to: .standardError)
    }

    private func write(_ text: String, to file: FileDescriptor) {
        // The reader may close the pipe early (`| head`).
        try? file.write(text.utf8)
    }
}

/// An error of a command. The description has the reason and the fix on one line.
struct SimulatorError: Error, CustomStringConvertible {
    let description: String
}
