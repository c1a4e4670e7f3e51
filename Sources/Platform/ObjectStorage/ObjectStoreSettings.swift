package import Configuration
internal import Cryptography
internal import HTTPClient
package import Time

/// Settings of one store. Names and defaults are a contract.
package struct ObjectStoreSettings: Sendable {
    /// Nil where the store is not used.
    package let url: Setting<ObjectStoreURL?>
    package let endpoint: Setting<String?>
    package let region: Setting<String>
    package let credentialsFile: Setting<String?>
    package let trustRootsFile: Setting<String?>
    package let objectLock: Setting<S3Configuration.ObjectLock.Mode>
    package let objectLockDays: Setting<Int>

    /// - Parameters:
    ///   - prefix: of the keys: `archive`.
    ///   - purpose: for the help of the URL: what is kept there.
    package init(prefix: String, purpose: String) {
        url =
            Setting(
                prefix + ".url", .objectStoreURL,
                help: "\(purpose): /path, file:///path or s3://bucket/prefix.", example: "/var/lib/sluice/archive"
            ).optional
        endpoint =
            Setting.string(
                prefix + ".s3.endpoint",
                help: "The S3-compatible service, by scheme, host and port. Without it Amazon's of the region.",
                example: "https://minio.example.com:9000"
            ).optional
        region = .string(prefix + ".s3.region", default: "us-east-1", help: "The region that requests are signed for.")
        credentialsFile =
            Setting.readableFile(
                prefix + ".s3.credentials.file",
                help: """
                    A file with aws_access_key_id = … and aws_secret_access_key = …, readable for this service alone. It is \
                    read again when it changes.
                    """, example: "/run/secrets/archive-s3"
            ).optional
        trustRootsFile =
            Setting.readableFile(
                prefix + ".s3.trust.roots.file",
                help: "A PEM file with the roots of a company's own S3-compatible service. Without it the system's.",
                example: "/etc/sluice/s3-roots.pem"
            ).optional
        objectLock = .oneOf(
            prefix + ".s3.object.lock", default: .off,
            help: "Whether objects are locked: governance and compliance need a bucket with object lock.")
        objectLockDays = .integer(
            prefix + ".s3.object.lock.days", default: 400, in: 1...36_500, help: "For how long an object is locked.")
    }

    package var all: [any AnySetting] {
        [url, endpoint, region, credentialsFile, trustRootsFile, objectLock, objectLockDays]
    }

    /// Opens the store that the settings name.
    ///
    /// - Parameters:
    ///   - creating: whether a missing directory is made.
    ///   - notice: is given what an operator should know, such as a file of credentials that cannot be read any more.
    /// - Returns: nil when there is no URL.
    /// - Throws: ``ObjectStoreError``, for the start: the message names the setting where one is wrong.
    package func open(
        _ configuration: Configuration, creating: Bool, clocks: Clocks = .system,
        notice: @escaping @Sendable (String) -> Void = { _ in }
    ) throws(ObjectStoreError) -> (any ObjectStore)? {
        guard let location = configuration[url] else { return nil }
        return try open(location, configuration, creating: creating, clocks: clocks, notice: notice)
    }

    /// As above, for a URL that was given in another way; credentials, region and endpoint are those of the settings.
    package func open(
        _ location: ObjectStoreURL, _ configuration: Configuration, creating: Bool, clocks: Clocks = .system,
        notice: @escaping @Sendable (String) -> Void = { _ in }
    ) throws(ObjectStoreError) -> any ObjectStore {
        switch location {
        case .directory(let path):
            return try DirectoryStore(path: path, creating: creating)
        case .bucket(let bucket, let prefix):
            guard let file = configuration[credentialsFile] else {
                throw ObjectStoreError(.invalidURL, "\(credentialsFile.key) is not set; \(location) needs credentials")
            }
            var s3 = try S3Configuration(
                endpoint: configuration[endpoint] ?? "https://s3.\(configuration[region]).amazonaws.com",
                region: configuration[region], bucket: bucket, prefix: prefix)
            s3.objectLock = .init(mode: configuration[objectLock], days: configuration[objectLockDays])
            let client = HTTPClient(HTTPClient.Configuration(trustRootsFile: configuration[trustRootsFile]))
            return S3Store(
                s3,
                S3Client.Surroundings(
                    send: { request throws(HTTPClientError) in try await client.send(request) },
                    credentials: try Self.credentials(file, key: credentialsFile.key, clocks, notice), clocks: clocks))
        }
    }

    private static func credentials(
        _ path: String, key: String, _ clocks: Clocks, _ notice: @escaping @Sendable (String) -> Void
    ) throws(ObjectStoreError) -> @Sendable () -> S3Credentials {
        let file: ReloadedFile<S3Credentials>
        do throws(FileProblem) {
            file = try ReloadedFile(
                path: path, limit: S3Credentials.maximumFileBytes, now: clocks.monotonicNanoseconds(),
                digest: { SHA256.digest(of: $0).bytes },
                make: { bytes throws(FileProblem) in try S3Credentials(file: bytes) })
        } catch {
            throw ObjectStoreError(.denied, "\(key): \(path) holds no credentials: \(error.message)")
        }
        return {
            let (value, change) = file.current(now: clocks.monotonicNanoseconds())
            if case .refused(let problem) = change {
                notice("\(key): \(path) is not used as it is now: \(problem.message)")
            }
            return value
        }
    }
}

extension ValueKind where Value == ObjectStoreURL {
    /// A directory or a bucket.
    package static var objectStoreURL: ValueKind<ObjectStoreURL> {
        ValueKind(
            name: "URL", expected: "/path, file:///path or s3://bucket/prefix", example: "s3://company-archive/sluice",
            text: { $0.description }
        ) { text throws(SettingProblem) in
            do throws(ObjectStoreError) {
                return try ObjectStoreURL(text)
            } catch {
                throw SettingProblem("is no usable URL of a store: \(error.message)")
            }
        }
    }
}
