/// Client events for logs and metrics. They never contain a token, a key or customer data.
package enum APIEvent: Sendable, Equatable {
    /// A key was read, on first use or because its file changed.
    case keyRead(file: String)
    /// A key file cannot be used. A key read earlier remains in use.
    case keyUnusable(file: String, message: String)
    /// A request ended with a status or a failure; `failure` is nil on success. The duration runs from the request to
    /// the last byte of the response and excludes the wait for the request budget.
    case answered(APIOperation, APIScope, status: Int?, failure: APIError.Kind?, milliseconds: Int64)
    /// The status was 401 even with a new token. All requests for this app fail until an operator fixes the cause.
    case unauthorized(APIScope)
    /// The status was 429. The budget for this endpoint is closed until the given time, in milliseconds since 1970.
    case rateLimited(APIOperation, APIScope, until: Int64)
    /// A signed object in a response was rejected. The reason consists of a code and a detail and contains no customer
    /// data.
    case refusedObject(APIOperation, APIScope, reason: String)
    /// Apple announced another page but repeated a cursor or sent no usable one. Reading stops after the current page.
    case repeatedPage(APIOperation, APIScope)
}
