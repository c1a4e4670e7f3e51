internal import Bytes

/// Output of a command: results to standard output, everything else to standard error.
struct Console {
    func print(_ text: String) {
        write(text + "\n", to: .standardOutput)
    }

    func complain(_ text: String) {
        write("sluice-simulator: " + text + "\n", to: .standardError)
    }

    private func write(_ text: String, to file: FileDescriptor) {
        // A reader may close the pipe early (`| head`).
        try? file.write(text.utf8)
    }
}

/// The reason why a command failed, on one line with the fix.
struct SimulatorError: Error, CustomStringConvertible {
    let description: String
}
