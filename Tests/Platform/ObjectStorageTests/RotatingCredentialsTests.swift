import Configuration
import HTTPClient
import ObjectStorage
import Synchronization
import Testing

/// Tests of the sources of AWS keys, in the order of botocore's `create_credential_resolver`, and of key rotation.
struct RotatingCredentialsTests {
    private static let start: Int64 = 1_795_682_400_000

    private final class Service: Sendable {
        let urls = Mutex<[String]>([])
        let headers = Mutex<[[String]]>([])
        let answers: [String: String]

        init(_ answers: [String: String] = [:]) { self.answers = answers }

        func answer(_ request: HTTPClientRequest) -> HTTPClientResponse {
            urls.withLock { $0.append("\(request.method) \(request.url)") }
            headers.withLock { $0.append(request.headers.map { "\($0.name): \($0.value)" }) }
            guard let text = answers[request.url] else { return HTTPClientResponse(status: 404, headers: [], body: []) }
            return HTTPClientResponse(status: 200, headers: [], body: Array(text.utf8))
        }
    }

    private func credentials(
        _ variables: [String: String], files: [String: String] = [:], _ service: Service = Service()
    ) -> AWSCredentials {
        AWSCredentials(
            region: "eu-central-1", file: nil, setting: "archive.s3.credentials.file",
            requests: CredentialRequests(
                send: { request throws(HTTPClientError) in service.answer(request) }, now: { Self.start },
                variable: { variables[$0] }, file: { files[$0].map { Array($0.utf8) } }))
    }

    private static let shared = """
        [default]
        aws_access_key_id = D
        aws_secret_access_key = d
        [archive]
        region = eu-central-1
        aws_access_key_id = A
        aws_secret_access_key = a
        aws_session_token = t
        """

    @Test func `a profile in the shared file of AWS's tools is read`() async throws {
        let files = ["/home/sluice/.aws/credentials": Self.shared, "/other": Self.shared]
        let byDefault = try await credentials(["HOME": "/home/sluice"], files: files).key()
        #expect(byDefault.key.accessKeyId == "D" && byDefault.key.sessionToken == nil && byDefault.expiry == nil)
        let byProfile = try await credentials(
            ["AWS_SHARED_CREDENTIALS_FILE": "/other", "AWS_PROFILE": "archive"], files: files
        ).key()
        #expect(byProfile.key.accessKeyId == "A" && byProfile.key.sessionToken == "t")
        let failure = await #expect(throws: CredentialError.self) {
            _ = try await credentials(["HOME": "/home/sluice", "AWS_PROFILE": "none"], files: files).key()
        }
        #expect(failure?.message.contains("AWS_PROFILE=none") == true)
    }

    private static let metadata = "http://169.254.169.254"

    private static func instance(_ id: String) -> Service {
        Service([
            "\(metadata)/latest/api/token": "TOKEN",
            "\(metadata)/latest/meta-data/iam/security-credentials/": "archive-role\n",
            "\(metadata)/latest/meta-data/iam/security-credentials/archive-role": """
            {"Code":"Success","AccessKeyId":"\(id)","SecretAccessKey":"s","Token":"t",
            "Expiration":"2026-11-26T14:40:00Z"}
            """,
        ])
    }

    @Test func `an EC2 instance provides its role's key through version 2 of its metadata service`() async throws {
        let service = Self.instance("I")
        let ec2 = ["/sys/class/dmi/id/sys_vendor": "Amazon EC2\n"]
        let key = try await credentials([:], files: ec2, service).key()
        #expect(key.key.accessKeyId == "I" && key.key.sessionToken == "t" && key.expiry == 1_795_704_000_000)
        #expect(service.urls.withLock { $0 }.first == "PUT \(Self.metadata)/latest/api/token")
        #expect(
            service.headers.withLock { $0 } == [
                ["X-aws-ec2-metadata-token-ttl-seconds: 21600"], ["X-aws-ec2-metadata-token: TOKEN"],
                ["X-aws-ec2-metadata-token: TOKEN"],
            ])
    }

    @Test func `the metadata service is not queried outside EC2 or if disabled`() async {
        for (variables, vendor) in [
            ([:], "QEMU"), (["AWS_EC2_METADATA_DISABLED": "true"], "Amazon EC2"),
        ] as [([String: String], String)] {
            let service = Self.instance("I")
            let aws = credentials(variables, files: ["/sys/class/dmi/id/sys_vendor": vendor], service)
            #expect(!aws.isConfigured)
            let failure = await #expect(throws: CredentialError.self) { _ = try await aws.key() }
            #expect(failure?.message.contains("archive.s3.credentials.file") == true)
            #expect(service.urls.withLock { $0.isEmpty })
        }
    }

    /// A clock, and a source of keys numbered in the order in which they are fetched.
    private final class Keys: Sendable {
        let now = Mutex(RotatingCredentialsTests.start)
        let count = Mutex(0)
        let failure = Mutex<CredentialError?>(nil)
        let notices = Mutex<[String]>([])
        let life: Int64?

        init(life: Int64?) { self.life = life }

        func rotating() -> RotatingCredentials {
            RotatingCredentials(
                now: { self.now.withLock { $0 } }, notice: { text in self.notices.withLock { $0.append(text) } }
            ) { () throws(CredentialError) in
                if let failure = self.failure.withLock({ $0 }) { throw failure }
                let number = self.count.withLock { count in
                    count += 1
                    return count
                }
                return AWSCredentials.Key(
                    key: S3Credentials(accessKeyId: "\(number)", secretAccessKey: Secret([1])),
                    expiry: self.life.map { $0 + self.now.withLock { $0 } })
            }
        }

        func advance(_ milliseconds: Int64) { now.withLock { $0 += milliseconds } }
    }

    @Test func `a key is fetched again before it expires, and only once until then`() async throws {
        let keys = Keys(life: 3_600_000)
        let rotating = keys.rotating()
        for _ in 0..<3 { #expect(try await rotating.current().accessKeyId == "1") }
        keys.advance(1_799_999)
        #expect(try await rotating.current().accessKeyId == "1")
        keys.advance(1)
        #expect(try await rotating.current().accessKeyId == "2")
    }

    @Test func `a key without an expiry is fetched again every minute`() async throws {
        let keys = Keys(life: nil)
        let rotating = keys.rotating()
        #expect(try await rotating.current().accessKeyId == "1")
        keys.advance(60_000)
        #expect(try await rotating.current().accessKeyId == "2")
    }

    @Test func `a key is fetched again if the clock is set back`() async throws {
        let keys = Keys(life: 3_600_000)
        let rotating = keys.rotating()
        #expect(try await rotating.current().accessKeyId == "1")
        keys.advance(-86_400_000)
        for _ in 0..<3 { #expect(try await rotating.current().accessKeyId == "2") }
    }

    @Test func `a key without a successor is used until it expires, with a notice`() async throws {
        let keys = Keys(life: 3_600_000)
        let rotating = keys.rotating()
        _ = try await rotating.current()
        keys.failure.withLock { $0 = CredentialError("the service does not answer") }
        keys.advance(3_000_000)
        #expect(try await rotating.current().accessKeyId == "1")
        #expect(keys.notices.withLock { $0 }.count == 1)
        keys.advance(600_000)
        let error = await #expect(throws: ObjectStoreError.self) { _ = try await rotating.current() }
        #expect(error?.code == .unavailable)
        keys.failure.withLock { $0 = CredentialError("no role", isRefusal: true) }
        let refusal = await #expect(throws: ObjectStoreError.self) { _ = try await rotating.current() }
        #expect(refusal?.code == .denied)
    }
}
