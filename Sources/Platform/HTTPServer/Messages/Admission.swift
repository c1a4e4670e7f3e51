/// What a listener says to a request head, before any byte of the body is taken.
public enum Admission: Sendable, Equatable {
    /// A body of 1 to `limit` bytes is required. None: 400 `empty`; more: 413 `too_large`.
    case body(limit: Int)
    /// The request has no body. One that comes all the same: 413 `too_large`.
    case noBody
    /// Respond with `status` and close the connection; `reason` is the code for metrics and the log.
    case refuse(status: Int, reason: String)
    /// 405 with `Allow`, reason `method`; the connection is closed.
    case methodNotAllowed(allow: String)

    /// 404, reason `path`.
    public static var notFound: Admission { .refuse(status: 404, reason: "path") }
}
