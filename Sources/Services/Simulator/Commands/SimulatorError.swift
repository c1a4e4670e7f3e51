/// A command failed. The description gives the reason and the fix on one line.
struct SimulatorError: Error, CustomStringConvertible {
    let description: String
}
