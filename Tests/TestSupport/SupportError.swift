/// What keeps a test from being run to its end.
struct SupportError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
