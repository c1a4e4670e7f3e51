internal import CommandLine

extension Console {
    /// Prints text and a newline.
    func print(_ text: String) async { await write(text + "\n") }

    /// Prints a line about the program's own state on standard error.
    func note(_ text: String) { complain("sluice-simulator: " + text) }
}
