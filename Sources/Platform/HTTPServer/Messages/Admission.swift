/// A listener's decision on a request head, before any byte of the body is read.
public enum Admission: Sendable, Equatable {
    /// A body of 1 to `limit` bytes is required. An empty body is refused with 400 `empty`, and a body above the limit
    /// with 413 `too_large`.
    case body(limit: Int)
    /// A body of at most `limit` bytes is allowed. A larger one is refused with 413 `too_large`.
    case optionalBody(limit: Int)
    /// No body is allowed. A request with a body is refused with 413 `too_large`.
    case noBody
    /// Respond with `status` and close the connection. `reason` is the code for metrics and the log.
    case refuse(status: Int, reason: String)
    /// Respond with 405, `Allow` and the reason `method`, and close the connection.
    case methodNotAllowed(allow: String)
    /// Respond with 401, `WWW-Authenticate` and the reason `unauthorized`, and close the connection.
    case unauthorized(challenge: String)

    /// The maximum body size, or nil if no body is read.
    var bodyLimit: Int? {
        switch self {
        case .body(let limit), .optionalBody(let limit): limit
        case .noBody, .refuse, .methodNotAllowed, .unauthorized: nil
        }
    }

    /// A refusal with 404 and the reason `path`.
    public static var notFound: Admission { .refuse(status: 404, reason: "path") }
}
