/// An additional page of the admin listener that shows internal state to operators.
public struct AdminPage: Sendable {
    /// The path, such as `/webhooks/attempts`.
    public let path: String
    /// Returns the page as JSON. Called for every request, and must not block.
    public let body: @Sendable () -> [UInt8]

    /// Creates a page.
    public init(path: String, body: @escaping @Sendable () -> [UInt8]) {
        self.path = path
        self.body = body
    }
}
