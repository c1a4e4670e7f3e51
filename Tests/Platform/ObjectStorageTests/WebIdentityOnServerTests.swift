import Foundation
import HTTPClient
import ObjectStorage
import TestSupport
import Testing

/// Tests of keys for a web identity from a third-party Security Token Service (moto, from PyPI) and one of its buckets.
@Suite(.enabled(if: S3Program.moto.location != nil, "no moto: pip install 'moto[server]'"), .timeLimit(.minutes(5)))
struct WebIdentityOnServerTests {
    @Test func `a key exchanged for a web identity gives access to a bucket, and so does the next key`() async throws {
        let server = try await S3Program.moto.running()
        let client = HTTPClient()
        let aws = AWSCredentials(
            region: "us-east-1", file: nil, setting: "archive.s3.credentials.file",
            requests: CredentialRequests(
                send: { request throws(HTTPClientError) in try await client.send(request) },
                now: { Int64(Date().timeIntervalSince1970 * 1000) },
                variable: { name in
                    [
                        "AWS_WEB_IDENTITY_TOKEN_FILE": "/token", "AWS_ENDPOINT_URL_STS": server.url + "/",
                        "AWS_ROLE_ARN": "arn:aws:iam::123456789012:role/archive",
                    ][name]
                }, file: { $0 == "/token" ? Array("a.b.c\n".utf8) : nil }))
        let first = try await aws.key()
        #expect(first.key.sessionToken?.isEmpty == false)
        #expect(try #require(first.expiry) > Int64(Date().timeIntervalSince1970 * 1000))

        let now = ManualClock()
        let rotating = RotatingCredentials(now: { Int64(now.now / 1_000_000) }) {
            () throws(CredentialError) in try await aws.key()
        }
        let configuration = try S3Configuration(
            endpoint: server.url, region: "us-east-1", bucket: try await server.makeBucket(), prefix: nil)
        let store = S3Store(
            configuration,
            S3Client.Surroundings(
                send: { request throws(HTTPClientError) in try await client.send(request) },
                credentials: { () throws(ObjectStoreError) in try await rotating.current() }))
        let name = try ObjectName("checkpoint")
        try await store.create(name, [1])
        let before = try await rotating.current()
        now.advance(by: .seconds(1_000_000_000))
        #expect(try await store.read(name)?.bytes == [1])
        #expect(try await rotating.current().accessKeyId != before.accessKeyId)
    }
}
