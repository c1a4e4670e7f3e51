internal import AppStoreModel
public import JSON

/// The reason why a record is not a notification record. Equality compares the code and the cause.
public struct RecordError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Code: String, Sendable, CaseIterable {
        /// The value is null, which Kafka allows in every topic.
        case nullValue = "null_value"
        /// The value is not a single strict JSON object. The cause contains the offset.
        case invalidJSON = "invalid_json"
        /// The object has no `notification` member, or the member is not an object.
        case noNotification = "no_notification"
    }

    public var code: Code
    public var cause: JSONError?

    public init(_ code: Code, cause: JSONError? = nil) {
        self.code = code
        self.cause = cause
    }

    public var description: String { cause.map { "\(code.rawValue): \($0)" } ?? code.rawValue }
}
