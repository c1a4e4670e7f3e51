internal import Telemetry

/// Names in requests to the company's service; a contract.
enum ProviderName {
    /// `type` of the body.
    static let requestType = "refund.requested"
    /// The name of the answer in errors.
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
