/// An error of the test support that prevents a test from completing.
struct SupportError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
