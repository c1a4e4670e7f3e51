/// An answer, whatever its status: redirects are answers like others.
public struct HTTPClientResponse: Sendable {
    public let status: Int
    /// In the order received. Bytes that are not UTF-8 are replaced.
    public let headers: [(name: String, value: String)]
    public let body: [UInt8]
    /// Whether the request went over a connection that was open before.
    public let reusedConnection: Bool

    public init(
        status: Int, headers: [(name: String, value: String)], body: [UInt8], reusedConnection: Bool = false
    ) {
        self.status = status
        self.headers = headers
        self.body = body
        self.reusedConnection = reusedConnection
    }

    /// The value of the last field of this name, compared without regard to case.
    public func header(_ name: String) -> String? {
        let wanted = name.lowercased()
        return headers.last { $0.name.lowercased() == wanted }?.value
    }
}
