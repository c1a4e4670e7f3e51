import ObjectStorage
import Testing

struct ObjectStoreURLTests {
    @Test func `a path, a file URL and a bucket with or without a prefix are accepted`() throws {
        #expect(try ObjectStoreURL("/var/lib/archive/") == .directory("/var/lib/archive"))
        #expect(try ObjectStoreURL("file:///var/lib/archive") == .directory("/var/lib/archive"))
        #expect(try ObjectStoreURL("/a b/100%") == .directory("/a b/100%"))
        #expect(try ObjectStoreURL("s3://bucket") == .bucket("bucket", prefix: nil))
        #expect(try ObjectStoreURL("s3://bucket/") == .bucket("bucket", prefix: nil))
        #expect(try ObjectStoreURL("s3://my-bucket.eu/a/b/") == .bucket("my-bucket.eu", prefix: ObjectName("a/b")))
        #expect(try ObjectStoreURL("s3://bucket/a/b").description == "s3://bucket/a/b")
    }

    @Test(arguments: [
        "", "archive", "./archive", "/", "//", "file:/a", "file://host/a", "file:///a%20b", "http://host/a",
        "s3:/bucket/a",
        "s3://", "s3:///a", "s3://ab/a", "s3://Bucket/a", "s3://-bucket/a", "s3://bu..cket/a", "s3://bucket/../a",
        "s3://bucket/a//b", "s3://bucket/a?b", "s3://user:password@bucket/a", "/a\u{0}b",
    ])
    func `any other URL is refused without showing its text`(_ text: String) {
        let error = #expect(throws: ObjectStoreError.self) { try ObjectStoreURL(text) }
        #expect(error?.code == .invalidURL)
        #expect(error?.message.contains("password") == false)
    }
}
