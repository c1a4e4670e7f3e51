/// A page of the admin listener beside its own: what a process knows of itself, for operators.
public struct AdminPage: Sendable {
    /// Such as `/webhooks/attempts`.
    public let path: String
    /// JSON. Called for each request; must not wait.
    public let body: @Sendable () -> [UInt8]

    /// Makes a page.
    public init(path: String, body: @escaping @Sendable () -> [UInt8]) {
        self.path = path
        self.body = body
    }
}
