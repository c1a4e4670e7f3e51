/// A listener's decision on a request head, made before any byte of the body is read.
public enum Admission: Sendable, Equatable {
    /// A body of 1 to `limit` bytes is required. An empty body is refused with 400 `empty`, a larger one with 413
    /// `too_large`.
    case body(limit: Int)
    /// A body of at most `limit` bytes is allowed. A larger one is refused with 413 `too_large`.
    case optionalBody(limit: Int)
    /// No body is allowed. A request with one is refused with 413 `too_large`.
    case noBody
    /// Respond with `status` and close the connection; `reason` is the code for metrics and the log.
    case refuse(status: Int, reason: String)
    /// 405 with `Allow`, reason `method`; the connection is closed.
    case methodNotAllowed(allow: String)
    /// 401 with `WWW-Authenticate`, reason `unauthorized`; the connection is closed.
    case unauthorized(challenge: String)

    /// The maximum body size, or nil if no body is read.
    var bodyLimit: Int? {
        switch self {
        case .body(let limit), .optionalBody(let limit): limit
        case .noBody, .refuse, .methodNotAllowed, .unauthorized: nil
        }
    }

    /// Refuses with 404 and reason `path`.
    public static var notFound: Admission { .refuse(status: 404, reason: "path") }
}
