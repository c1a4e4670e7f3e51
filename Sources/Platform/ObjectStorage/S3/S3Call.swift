/// A request to a bucket, before it is signed.
struct S3Call {
    var method: String
    /// The name of the object, or nil for requests to the bucket itself.
    var name: ObjectName?
    var query: [(name: String, value: String)] = []
    var headers: [(name: String, value: String)] = []
    var body: [UInt8] = []
    /// The maximum size of the response in bytes.
    var maximumAnswerBytes = 4 * 1024 * 1024
    /// Whether the service sends the status before it has finished the operation. A response with a success status may
    /// then contain an error.
    var mayFailLate = false
    /// The operation and its URL, for error messages.
    var action: String
}
