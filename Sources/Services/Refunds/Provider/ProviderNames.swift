internal import Telemetry

/// Names used in requests to the company's service. They are a public contract.
enum ProviderName {
    /// The value of `type` in the body.
    static let requestType = "refund.requested"
    /// The name of the answer in error messages.
    static let answer = "answer"
}

/// Header fields, in addition to those of the signature.
enum ProviderHeader {
    static let accept = "accept"
    static let contentType = "content-type"
    static let userAgent = "user-agent"
}

extension LogKey {
    static let path = LogKey(rawValue: "path")
}
