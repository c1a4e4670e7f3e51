/// One request to a bucket, before it is signed.
struct S3Call {
    var method: String
    /// Nil: of the bucket itself.
    var name: ObjectName?
    var query: [(name: String, value: String)] = []
    var headers: [(name: String, value: String)] = []
    var body: [UInt8] = []
    /// Bytes of the longest answer.
    var maximumAnswerBytes = 4 * 1024 * 1024
    /// Whether an answer with a status of success may hold an error, because it was sent before the work was done.
    var mayFailLate = false
    /// For error texts, with the URL.
    var action: String
}
