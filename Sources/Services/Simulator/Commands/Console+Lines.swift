internal import CommandLine

extension Console {
    /// Prints text and a newline.
    func print(_ text: String) async { await write(text + "\n") }

    /// Prints a status line to standard error.
    func note(_ text: String) { complain("sluice-simulator: " + text) }
}
