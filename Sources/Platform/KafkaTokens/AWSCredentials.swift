internal import Configuration
internal import HTTPClient
internal import JSON
package import Kafka
package import ObjectStorage
internal import Time

/// Where a process gets its key of AWS: a file that is configured, else as AWS's own libraries do, the environment, a web
/// identity (EKS), the container's metadata (ECS, EKS Pod Identity).
package struct AWSCredentials: Sendable {
    /// A key and when it ends, in milliseconds since 1970; nil: not by itself.
    package struct Key: Sendable {
        package let key: S3Credentials
        package let expiry: Int64?

        package init(key: S3Credentials, expiry: Int64?) {
            self.key = key
            self.expiry = expiry
        }
    }

    package let region: String
    /// As AWS's tools write it.
    package let file: String?
    private let requests: TokenRequests

    package init(region: String, file: String?, requests: TokenRequests) {
        self.region = region
        self.file = file
        self.requests = requests
    }

    /// The key of this moment.
    package func key() async throws(KafkaTokenFailure) -> Key {
        if let file { return Key(key: try key(inFile: file), expiry: nil) }
        if let id = variable("AWS_ACCESS_KEY_ID"), let secret = variable("AWS_SECRET_ACCESS_KEY") {
            let key = S3Credentials(
                accessKeyId: id, secretAccessKey: Secret(Array(secret.utf8)),
                sessionToken: variable("AWS_SESSION_TOKEN"))
            return Key(key: key, expiry: nil)
        }
        if let file = variable("AWS_WEB_IDENTITY_TOKEN_FILE"), let role = variable("AWS_ROLE_ARN") {
            return try await key(ofWebIdentity: file, role: role)
        }
        if let url = containerURL { return try await key(ofContainer: url) }
        throw KafkaTokenFailure(
            """
            no key of AWS: set kafka.token.aws.credentials.file, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or run \
            with a role (AWS_WEB_IDENTITY_TOKEN_FILE and AWS_ROLE_ARN, or AWS_CONTAINER_CREDENTIALS_…)
            """, isRefusal: true)
    }

    private func variable(_ name: String) -> String? {
        requests.variable(name).flatMap { $0.isEmpty ? nil : $0 }
    }

    private func text(of file: String) throws(KafkaTokenFailure) -> String {
        guard let bytes = requests.file(file) else { throw KafkaTokenFailure("\(file) cannot be read") }
        return String(decoding: bytes, as: UTF8.self).trimmed
    }

    private func key(inFile file: String) throws(KafkaTokenFailure) -> S3Credentials {
        guard let bytes = requests.file(file) else { throw KafkaTokenFailure("\(file) cannot be read") }
        do throws(FileProblem) {
            return try S3Credentials(file: bytes)
        } catch {
            throw KafkaTokenFailure("\(file) holds no key: \(error.message)")
        }
    }

    // MARK: Web identity

    /// AWS Security Token Service, `AssumeRoleWithWebIdentity`.
    private func key(ofWebIdentity file: String, role: String) async throws(KafkaTokenFailure) -> Key {
        let endpoint = variable("AWS_ENDPOINT_URL_STS") ?? "https://sts.\(region).amazonaws.com/"
        let request = HTTPClientRequest(
            method: "POST", url: endpoint,
            headers: [(name: "Content-Type", value: "application/x-www-form-urlencoded")],
            body: TokenRequests.form([
                (name: "Action", value: "AssumeRoleWithWebIdentity"), (name: "Version", value: "2011-06-15"),
                (name: "RoleArn", value: role),
                (name: "RoleSessionName", value: variable("AWS_ROLE_SESSION_NAME") ?? "sluice"),
                (name: "WebIdentityToken", value: try text(of: file)),
            ]))
        let body = try await requests.answer(from: endpoint, request) { body in
            let error = XMLElement(document: body)?.child("Error")
            return error.flatMap { $0.text("Code") }.map { code in
                error?.text("Message").map { "\(code): \($0)" } ?? code
            }
        }
        let result = XMLElement(document: body)?.child("AssumeRoleWithWebIdentityResult")
        guard let key = result?.child("Credentials"), let id = key.text("AccessKeyId"),
            let secret = key.text("SecretAccessKey"), let token = key.text("SessionToken")
        else { throw KafkaTokenFailure("\(endpoint) answers without a key") }
        return Key(
            key: S3Credentials(accessKeyId: id, secretAccessKey: Secret(Array(secret.utf8)), sessionToken: token),
            expiry: key.text("Expiration").flatMap { RFC3339.milliseconds(Array($0.utf8)) })
    }

    // MARK: Container

    private var containerURL: String? {
        if let path = variable("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI") { return "http://169.254.170.2\(path)" }
        return variable("AWS_CONTAINER_CREDENTIALS_FULL_URI")
    }

    private static func isOfThisHost(_ url: String) -> Bool {
        ["169.254.170.2", "169.254.170.23", "127.0.0.1", "localhost", "[::1]", "[fd00:ec2::23]"].contains { host in
            ["/", ":"].contains { url.hasPrefix("http://\(host)\($0)") }
        }
    }

    /// The metadata of a container. Only this host itself is asked without TLS: the answer is a key.
    private func key(ofContainer url: String) async throws(KafkaTokenFailure) -> Key {
        guard url.hasPrefix("https://") || Self.isOfThisHost(url) else {
            throw KafkaTokenFailure(
                "AWS_CONTAINER_CREDENTIALS_FULL_URI is neither https nor of this host", isRefusal: true)
        }
        var headers: [(name: String, value: String)] = []
        if let file = variable("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE") {
            headers.append((name: "Authorization", value: try text(of: file)))
        } else if let token = variable("AWS_CONTAINER_AUTHORIZATION_TOKEN") {
            headers.append((name: "Authorization", value: token))
        }
        let request = HTTPClientRequest(url: url, headers: headers)
        let body = try await requests.answer(from: "the container's metadata", request) { body in
            (try? JSONDocument.object(body).root)?["message"]?.string
        }
        guard let answer = try? JSONDocument.object(body).root, let id = answer["AccessKeyId"]?.string,
            let secret = answer["SecretAccessKey"]?.string
        else { throw KafkaTokenFailure("the container's metadata answers without a key") }
        return Key(
            key: S3Credentials(
                accessKeyId: id, secretAccessKey: Secret(Array(secret.utf8)), sessionToken: answer["Token"]?.string),
            expiry: answer["Expiration"]?.string.flatMap { RFC3339.milliseconds(Array($0.utf8)) })
    }
}

extension String {
    /// Without blanks and line ends at its ends.
    fileprivate var trimmed: String {
        var text = self[...]
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}
