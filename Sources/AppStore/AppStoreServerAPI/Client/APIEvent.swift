/// Events of the client for logs and metrics. They never contain a token, a key or a customer's data.
package enum APIEvent: Sendable, Equatable {
    /// A key was read, either at first use or because its file changed.
    case keyRead(file: String)
    /// A key file is unusable; a key read earlier stays in use.
    case keyUnusable(file: String, message: String)
    /// A request has ended, with a status or with a `failure`; `failure` is nil for a success. The time runs from the
    /// request to the last byte of the answer, without the wait for a turn.
    case answered(APIOperation, APIScope, status: Int?, failure: APIFailure.Kind?, milliseconds: Int64)
    /// A 401 answer even with a new token: every request of the app fails until an operator acts.
    case unauthorized(APIScope)
    /// A 429 answer: the budget of this endpoint is closed until the given time, in milliseconds since 1970.
    case rateLimited(APIOperation, APIScope, until: Int64)
    /// A signed object in an answer was refused. The reason consists of code and detail, without content.
    case refusedObject(APIOperation, APIScope, reason: String)
    /// Apple announced more pages under a cursor that was already used; reading stopped.
    case repeatedPage(APIOperation, APIScope)
}
