/// The location of a bucket and the parameters for using it.
package struct S3Configuration: Sendable {
    /// The object lock: until a given date, the bucket refuses to change or delete an object version.
    package struct ObjectLock: Sendable, Equatable {
        /// The setting's values. The service uses them in upper case.
        package enum Mode: String, Sendable, CaseIterable {
            case off
            /// Users with a special permission can remove the lock.
            case governance
            /// No user can remove the lock, not even the account owner.
            case compliance
        }

        package var mode: Mode
        package var days: Int

        package init(mode: Mode, days: Int) {
            self.mode = mode
            self.days = days
        }
    }

    /// The scheme, host and port in lower case, without the scheme's default port.
    package let endpoint: String
    package var region: String
    package var bucket: String
    /// The prefix for all object names.
    package var prefix: ObjectName?
    package var objectLock = ObjectLock(mode: .off, days: 0)
    /// The size of an upload part in bytes. Larger objects are uploaded in parts of this size, which must be at least 5
    /// MiB.
    package var partBytes = 16 * 1024 * 1024
    /// The timeout for a single request.
    package var requestTimeout = Duration.seconds(30)
    /// The maximum number of attempts for a request, including the first.
    package var attempts = 8
    /// The maximum wait before the second attempt. The maximum doubles with each subsequent attempt.
    package var firstBackoff = Duration.milliseconds(100)
    package var longestBackoff = Duration.seconds(5)

    /// - Throws: ``ObjectStoreError`` with code `invalidURL`.
    package init(
        endpoint: String, region: String, bucket: String, prefix: ObjectName?
    ) throws(ObjectStoreError) {
        self.endpoint = try Self.checked(endpoint)
        self.region = region
        self.bucket = bucket
        self.prefix = prefix
    }

    /// The host, followed by the port if it is not the default.
    var host: String { String(endpoint.drop { $0 != ":" }.dropFirst(3)) }

    private static func checked(_ text: String) throws(ObjectStoreError) -> String {
        var text = text.lowercased()
        if text.hasSuffix("/") { text.removeLast() }
        let defaultPort: String
        if text.hasPrefix("https://") {
            defaultPort = ":443"
        } else if text.hasPrefix("http://") {
            defaultPort = ":80"
        } else {
            throw invalid
        }
        let host = text.drop { $0 != ":" }.dropFirst(3)
        guard !host.isEmpty, host.utf8.allSatisfy({ $0 > 32 && $0 < 127 }),
            !host.contains(where: { "/?#@\\".contains($0) })
        else { throw invalid }
        return text.hasSuffix(defaultPort) ? String(text.dropLast(defaultPort.count)) : text
    }

    private static var invalid: ObjectStoreError {
        ObjectStoreError(
            .invalidURL,
            "the endpoint must be a URL without a path or user name, such as https://s3.eu-central-1.amazonaws.com")
    }
}
