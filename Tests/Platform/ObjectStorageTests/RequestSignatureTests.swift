import Configuration
import ObjectStorage
import Testing

/// The examples from the Amazon S3 API Reference, "Authenticating Requests: Using the Authorization Header".
struct RequestSignatureTests {
    private static let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    /// 2013-05-24T00:00:00Z
    private static let now: Int64 = 1_369_353_600_000
    private static let signature = RequestSignature(
        credentials: S3Credentials(
            accessKeyId: "AKIAIOSFODNN7EXAMPLE",
            secretAccessKey: Secret(Array("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY".utf8))), region: "us-east-1")

    struct Example: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let input: RequestSignature.Input
        let signedHeaders: String
        let signature: String
    }

    static let examples = [
        Example(
            testDescription: "GET of the first bytes of an object",
            input: .init(
                method: "GET", path: "/test.txt",
                headers: [("Host", "examplebucket.s3.amazonaws.com"), ("Range", "bytes=0-9")], bodyDigest: empty),
            signedHeaders: "host;range;x-amz-content-sha256;x-amz-date",
            signature: "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"),
        Example(
            testDescription: "PUT of an object",
            input: .init(
                method: "PUT", path: "/test%24file.text",
                headers: [
                    ("Host", "examplebucket.s3.amazonaws.com"), ("Date", "Fri, 24 May 2013 00:00:00 GMT"),
                    ("x-amz-storage-class", "REDUCED_REDUNDANCY"),
                ],
                bodyDigest: "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072"),
            signedHeaders: "date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class",
            signature: "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"),
        Example(
            testDescription: "GET of a bucket's lifecycle",
            input: .init(
                method: "GET", path: "/", query: [("lifecycle", "")],
                headers: [("Host", "examplebucket.s3.amazonaws.com")], bodyDigest: empty),
            signedHeaders: "host;x-amz-content-sha256;x-amz-date",
            signature: "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"),
        Example(
            testDescription: "GET of a bucket's objects",
            input: .init(
                method: "GET", path: "/", query: [("prefix", "J"), ("max-keys", "2")],
                headers: [("Host", "examplebucket.s3.amazonaws.com")], bodyDigest: empty),
            signedHeaders: "host;x-amz-content-sha256;x-amz-date",
            signature: "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"),
    ]

    @Test(arguments: examples)
    func `signatures match Amazon's examples`(_ example: Example) throws {
        let headers = try Self.signature.headers(for: example.input, now: Self.now)
        #expect(headers.first { $0.name == "x-amz-date" }?.value == "20130524T000000Z")
        #expect(headers.first { $0.name == "x-amz-content-sha256" }?.value == example.input.bodyDigest)
        #expect(
            headers.first { $0.name == "authorization" }?.value
                == "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,"
                + "SignedHeaders=\(example.signedHeaders),Signature=\(example.signature)")
    }

    @Test func `the token of a temporary key is sent and signed`() throws {
        let temporary = RequestSignature(
            credentials: S3Credentials(accessKeyId: "A", secretAccessKey: Secret([1]), sessionToken: "T/+="),
            region: "r")
        let headers = try temporary.headers(for: Self.examples[0].input, now: Self.now)
        #expect(headers.first { $0.name == "x-amz-security-token" }?.value == "T/+=")
        #expect(headers.first { $0.name == "authorization" }?.value.contains("x-amz-security-token,") == true)
    }

    @Test func `parameters are encoded and sorted in the same way for the URL and the signature`() {
        let query = RequestSignature.query([("uploadId", "a/b+c= &ä"), ("partNumber", "10"), ("a~-._", "")])
        #expect(query == "a~-._=&partNumber=10&uploadId=a%2Fb%2Bc%3D%20%26%C3%A4")
    }
}
