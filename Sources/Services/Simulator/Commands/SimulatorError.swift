/// A command failed. The description states the reason and the fix on one line.
struct SimulatorError: Error, CustomStringConvertible {
    let description: String
}
