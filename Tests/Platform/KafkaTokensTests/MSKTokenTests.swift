import Bytes
import Configuration
import HTTPClient
import Kafka
import KafkaTokens
import ObjectStorage
import Synchronization
import Testing

/// The signatures were made by botocore 1.43.11, `SigV4QueryAuth`, with its clock set to this moment.
@Suite struct MSKTokenTests {
    /// 2026-11-26T08:40:00Z.
    private static let now: Int64 = 1_795_682_400_000

    private static func key(_ token: String? = nil, expiry: Int64? = nil) -> AWSCredentials.Key {
        AWSCredentials.Key(
            key: S3Credentials(
                accessKeyId: "AKIDEXAMPLE",
                secretAccessKey: Secret(Array("wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY".utf8)), sessionToken: token),
            expiry: expiry)
    }

    private static let common =
        "https://kafka.eu-central-1.amazonaws.com/?Action=kafka-cluster%3AConnect&X-Amz-Algorithm=AWS4-HMAC-SHA256"
        + "&X-Amz-Credential=AKIDEXAMPLE%2F20261126%2Feu-central-1%2Fkafka-cluster%2Faws4_request"
        + "&X-Amz-Date=20261126T084000Z&X-Amz-Expires=900"

    @Test(arguments: [
        (
            nil,
            "&X-Amz-SignedHeaders=host"
                + "&X-Amz-Signature=7dd2dbeec04e80b51d01e530be3c9ab2e25fb19dc2f825f1a063b73a958ee440"
        ),
        (
            "token/with+chars==",
            "&X-Amz-Security-Token=token%2Fwith%2Bchars%3D%3D&X-Amz-SignedHeaders=host"
                + "&X-Amz-Signature=36f88d44ced646e94b823e66a117cb491b73b36697b6d960cbca18bf004515b9"
        ),
    ])
    func `the token is a signed request in base64url`(_ session: String?, _ rest: String) throws {
        let token = try MSKToken(region: "eu-central-1").token(of: Self.key(session), now: Self.now)
        let url = String(decoding: try Base64URL.decode(Array(token.value.utf8)), as: UTF8.self)
        #expect(url == Self.common + rest + "&User-Agent=sluice")
        #expect(!token.value.contains("="))
        #expect(token.expiry == Self.now + 900_000)
    }

    @Test func `a token ends with the key that signed it`() throws {
        let key = Self.key("t", expiry: Self.now + 60_000)
        #expect(try MSKToken(region: "eu-central-1").token(of: key, now: Self.now).expiry == Self.now + 60_000)
    }
}

/// The order and the names are those of AWS's own libraries.
@Suite struct AWSCredentialsTests {
    private final class Seen: Sendable {
        let requests = Mutex<[HTTPClientRequest]>([])
    }

    private func credentials(
        file: String? = nil, _ variables: [String: String] = [:], files: [String: String] = [:], _ seen: Seen = Seen(),
        status: Int = 200, answer: String = ""
    ) -> AWSCredentials {
        AWSCredentials(
            region: "eu-central-1", file: file, setting: "kafka.token.aws.credentials.file",
            requests: CredentialRequests(
                send: { request throws(HTTPClientError) in
                    seen.requests.withLock { $0.append(request) }
                    return HTTPClientResponse(status: status, headers: [], body: Array(answer.utf8))
                }, now: { 0 }, variable: { variables[$0] }, file: { files[$0].map { Array($0.utf8) } }))
    }

    private static let environment = ["AWS_ACCESS_KEY_ID": "E", "AWS_SECRET_ACCESS_KEY": "s", "AWS_SESSION_TOKEN": "t"]
    private static let web = ["AWS_WEB_IDENTITY_TOKEN_FILE": "/jwt", "AWS_ROLE_ARN": "arn:aws:iam::1:role/sluice"]
    private static let sts = """
        <AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
          <AssumeRoleWithWebIdentityResult><Credentials><AccessKeyId>W</AccessKeyId>
          <SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken>
          <Expiration>2026-11-26T09:40:00Z</Expiration></Credentials></AssumeRoleWithWebIdentityResult>
        </AssumeRoleWithWebIdentityResponse>
        """

    @Test func `a file that is configured goes before the environment, which goes before roles`() async throws {
        let files = ["/aws": "[default]\naws_access_key_id = F\naws_secret_access_key = s\n"]
        let all = Self.environment.merging(Self.web) { $1 }
        let file = try await credentials(file: "/aws", all, files: files).key()
        #expect(file.key.accessKeyId == "F" && file.key.sessionToken == nil && file.expiry == nil)
        let environment = try await credentials(all, files: ["/jwt": "j"], answer: Self.sts).key()
        #expect(environment.key.accessKeyId == "E" && environment.key.sessionToken == "t")
    }

    @Test func `a web identity is exchanged for a key`() async throws {
        let seen = Seen()
        let key = try await credentials(Self.web, files: ["/jwt": "a.b.c\n"], seen, answer: Self.sts).key()
        #expect(key.key.accessKeyId == "W" && key.key.sessionToken == "t" && key.expiry == 1_795_686_000_000)
        let request = try #require(seen.requests.withLock { $0 }.first)
        #expect(request.url == "https://sts.eu-central-1.amazonaws.com/" && request.method == "POST")
        #expect(
            request.body.map { String(decoding: $0, as: UTF8.self) }
                == "Action=AssumeRoleWithWebIdentity&Version=2011-06-15"
                + "&RoleArn=arn%3Aaws%3Aiam%3A%3A1%3Arole%2Fsluice&RoleSessionName=sluice&WebIdentityToken=a.b.c")
    }

    @Test func `a role that may not be taken is told in AWS's words`() async {
        let answer =
            "<ErrorResponse><Error><Code>AccessDenied</Code><Message>Not authorized</Message></Error></ErrorResponse>"
        let failure = await #expect(throws: CredentialFailure.self) {
            try await credentials(Self.web, files: ["/jwt": "j"], status: 403, answer: answer).key()
        }
        #expect(failure?.message == "https://sts.eu-central-1.amazonaws.com/ answers 403: AccessDenied: Not authorized")
        #expect(failure?.isRefusal == true)
    }

    @Test(arguments: [
        (["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": "/v2/c"], "http://169.254.170.2/v2/c", nil),
        (
            [
                "AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://169.254.170.23/v1/credentials",
                "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE": "/pod",
            ], "http://169.254.170.23/v1/credentials", "pod-token"
        ),
        (
            [
                "AWS_CONTAINER_CREDENTIALS_FULL_URI": "https://metadata.example/c",
                "AWS_CONTAINER_AUTHORIZATION_TOKEN": "direct",
            ], "https://metadata.example/c", "direct"
        ),
    ])
    func `a container's metadata is asked`(_ variables: [String: String], _ url: String, _ token: String?) async throws
    {
        let seen = Seen()
        let answer =
            #"{"AccessKeyId":"C","SecretAccessKey":"s","Token":"t","Expiration":"2026-11-26T09:40:00Z"}"#
        let key = try await credentials(variables, files: ["/pod": "pod-token\n"], seen, answer: answer).key()
        #expect(key.key.accessKeyId == "C" && key.key.sessionToken == "t" && key.expiry == 1_795_686_000_000)
        let request = try #require(seen.requests.withLock { $0 }.first)
        #expect(request.url == url && request.headers.first { $0.name == "Authorization" }?.value == token)
    }

    @Test(arguments: ["http://metadata.example/c", "http://127.0.0.1.example/c", "http://169.254.170.2x/", "ftp://x"])
    func `a key is not taken from another host without TLS`(_ url: String) async {
        let seen = Seen()
        let failure = await #expect(throws: CredentialFailure.self) {
            try await credentials(["AWS_CONTAINER_CREDENTIALS_FULL_URI": url], seen, answer: "{}").key()
        }
        #expect(failure?.message.contains("AWS_CONTAINER_CREDENTIALS_FULL_URI") == true)
        #expect(seen.requests.withLock { $0 }.isEmpty)
    }

    @Test func `without any of them the ways are named`() async {
        let failure = await #expect(throws: CredentialFailure.self) { try await credentials().key() }
        #expect(failure?.message.contains("kafka.token.aws.credentials.file") == true)
        #expect(failure?.message.contains("AWS_WEB_IDENTITY_TOKEN_FILE") == true && failure?.isRefusal == true)
    }
}
