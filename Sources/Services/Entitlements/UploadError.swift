internal import HTTPServer

/// An uploaded transaction was rejected. The message includes the fix.
struct UploadError: Error, Equatable {
    let status: Int
    /// One of the `error` values in ``ReadAPIName``.
    let code: String
    let message: String

    init(_ status: Int, _ code: String, _ message: String) {
        self.status = status
        self.code = code
        self.message = message
    }

    var response: HTTPResponse { ReadAPI.problem(status, code, message) }
}
