/// An error of a command. The description has the reason and the fix on one line.
struct SimulatorError: Error, CustomStringConvertible {
    let description: String
}
