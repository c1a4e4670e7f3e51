/// Where a bucket is, and how it is used.
package struct S3Configuration: Sendable {
    /// What the bucket is told to refuse: changing and deleting a version of an object before a day.
    package struct ObjectLock: Sendable, Equatable {
        /// The names of the settings, and in upper case those of the service.
        package enum Mode: String, Sendable, CaseIterable {
            case off
            /// Users with a right of their own may remove it.
            case governance
            /// Nobody may, not even the owner of the account.
            case compliance
        }

        package var mode: Mode
        package var days: Int

        package init(mode: Mode, days: Int) {
            self.mode = mode
            self.days = days
        }
    }

    /// Scheme, host and port, in lower case and without the port that the scheme has by itself.
    package let endpoint: String
    package var region: String
    package var bucket: String
    /// What all names begin with.
    package var prefix: ObjectName?
    package var objectLock = ObjectLock(mode: .off, days: 0)
    /// Larger objects are sent in parts of so many bytes; the service allows from 5 MiB.
    package var partBytes = 16 * 1024 * 1024
    /// For one request.
    package var requestTimeout = Duration.seconds(30)
    /// Attempts for one request, with the first.
    package var attempts = 8
    /// The longest wait before the second attempt; it doubles from attempt to attempt.
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

    /// The host, with the port where it is sent.
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
            "the endpoint is not a URL such as https://s3.eu-central-1.amazonaws.com, without path and user")
    }
}
