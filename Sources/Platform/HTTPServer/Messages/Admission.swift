/// What a listener says to a request head, before any byte of the body is taken.
public enum Admission: Sendable, Equatable {
    /// A body of 1 to `limit` bytes is required. None: 400 `empty`; more: 413 `too_large`.
    case body(limit: Int)
    /// A body of at most `limit` bytes, or none. More: 413 `too_large`.
    case optionalBody(limit: Int)
    /// The request has no body. One that comes all the same: 413 `too_large`.
    case noBody
    /// Respond with `status` and close the connection; `reason` is the code for metrics and the log.
    case refuse(status: Int, reason: String)
    /// 405 with `Allow`, reason `method`; the connection is closed.
    case methodNotAllowed(allow: String)
    /// 401 with `WWW-Authenticate`, reason `unauthorized`; the connection is closed.
    case unauthorized(challenge: String)

    /// How large a body may be, where one may come.
    var bodyLimit: Int? {
        switch self {
        case .body(let limit), .optionalBody(let limit): limit
        case .noBody, .refuse, .methodNotAllowed, .unauthorized: nil
        }
    }

    /// 404, reason `path`.
    public static var notFound: Admission { .refuse(status: 404, reason: "path") }
}
