/// A response with any status. Redirects are returned like other responses.
public struct HTTPClientResponse: Sendable {
    public let status: Int
    /// The header fields, in the order received. Bytes that are not UTF-8 are replaced.
    public let headers: [(name: String, value: String)]
    public let body: [UInt8]
    /// Whether the request used an existing connection.
    public let reusedConnection: Bool

    public init(
        status: Int, headers: [(name: String, value: String)], body: [UInt8], reusedConnection: Bool = false
    ) {
        self.status = status
        self.headers = headers
        self.body = body
        self.reusedConnection = reusedConnection
    }

    /// Returns the value of the last field with this name. The case of the name is ignored.
    public func header(_ name: String) -> String? {
        let wanted = name.lowercased()
        return headers.last { $0.name.lowercased() == wanted }?.value
    }
}
