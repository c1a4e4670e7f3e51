/// An answer, whatever its status: redirects are answers like others.
package struct HTTPClientResponse: Sendable {
    package let status: Int
    /// In the order received. Bytes that are not UTF-8 are replaced.
    package let headers: [(name: String, value: String)]
    package let body: [UInt8]
    /// Whether the request went over a connection that was open before.
    package let reusedConnection: Bool

    package init(
        status: Int, headers: [(name: String, value: String)], body: [UInt8], reusedConnection: Bool = false
    ) {
        self.status = status
        self.headers = headers
        self.body = body
        self.reusedConnection = reusedConnection
    }

    /// The value of the last field of this name, compared without regard to case.
    package func header(_ name: String) -> String? {
        let wanted = name.lowercased()
        return headers.last { $0.name.lowercased() == wanted }?.value
    }
}
