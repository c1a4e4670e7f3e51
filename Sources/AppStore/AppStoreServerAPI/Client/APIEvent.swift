/// What an operator may want to know of the client, for logs and metrics. Never a token, a key or a customer's data.
package enum APIEvent: Sendable, Equatable {
    /// A key was read, at the first use or because its file changed.
    case keyRead(file: String)
    /// A key's file cannot be used; a key read before stays in use.
    case keyUnusable(file: String, message: String)
    /// A request that was sent has ended: with a status, or without one for the reason `failure`. A success has no
    /// failure. The time is from the request to the last byte of the answer, without the wait for a turn.
    case answered(APIOperation, APIScope, status: Int?, failure: APIFailure.Kind?, milliseconds: Int64)
    /// 401, also with a new token: until someone acts, every request of the app fails.
    case unauthorized(APIScope)
    /// 429: the budget of this endpoint is closed until then, in milliseconds since 1970.
    case rateLimited(APIOperation, APIScope, until: Int64)
    /// A signed object in an answer was refused: reason code and detail, without its content.
    case refusedObject(APIOperation, APIScope, reason: String)
    /// More pages were announced under a cursor that was used before; the reading ended.
    case repeatedPage(APIOperation, APIScope)
}
