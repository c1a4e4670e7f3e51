import CommandLine
import Configuration
import ObjectStorage
import Primitives
import Synchronization
import TestSupport
import Testing

struct ObjectStoreSettingsTests {
    private let settings = ObjectStoreSettings(prefix: "archive")

    private func configuration(_ arguments: [String]) throws -> Configuration {
        let command = Command("test", summary: "tests.", schema: ConfigurationSchema(settings.all))
        guard case .run(let invocation) = command.parse(arguments, environment: [:]) else { throw NotRead() }
        return invocation.configuration
    }

    private struct NotRead: Error {}

    @Test func `a path means a directory and requires no further setting`() throws {
        let directory = try TemporaryDirectory()
        let store = try settings.open(
            ObjectStoreURL(directory.file("archive")), try configuration([]), creating: true)
        #expect(store is DirectoryStore)
    }

    @Test func `a bucket requires credentials, and the error names the setting`() throws {
        let error = #expect(throws: ObjectStoreError.self) {
            try settings.open(ObjectStoreURL("s3://bucket/a"), try configuration([]), creating: true)
        }
        #expect(
            error?.message.hasPrefix("archive.s3.credentials.file is not set; s3://bucket/a needs credentials: ")
                == true)
        #expect(error?.message.contains("AWS_WEB_IDENTITY_TOKEN_FILE and AWS_ROLE_ARN") == true)
        let directory = try TemporaryDirectory()
        let file = try directory.write("aws_access_key_id=hidden", to: "credentials")
        let wrong = #expect(throws: ObjectStoreError.self) {
            try settings.open(
                ObjectStoreURL("s3://bucket/a"), try configuration(["--archive.s3.credentials.file", file]),
                creating: true)
        }
        #expect(wrong?.code == .denied)
        #expect(wrong?.message.hasPrefix("archive.s3.credentials.file: \(file) contains no credentials: ") == true)
        #expect(wrong?.message.contains("hidden") == false)
    }

    @Test(.enabled(if: !S3Program.available.isEmpty, S3Program.reason), arguments: S3Program.available)
    func `a bucket is opened with its settings, and changed credentials are reread`(
        _ program: S3Program
    ) async throws {
        let server = try await program.running()
        let bucket = try await server.makeBucket()
        let directory = try TemporaryDirectory()
        let text = "aws_access_key_id=test\naws_secret_access_key=test\n"
        let file = try directory.write(text, to: "credentials")
        let clock = ManualClock()
        let notices = Mutex<[String]>([])
        let store = try settings.open(
            ObjectStoreURL("s3://\(bucket)/prefix"),
            try configuration([
                "--archive.s3.credentials.file", file, "--archive.s3.endpoint", server.url, "--archive.s3.region",
                "us-east-1",
            ]), creating: false,
            clocks: Clocks(
                wallMilliseconds: SystemClock.wallMilliseconds, monotonicNanoseconds: { clock.now }),
            notice: { notice in notices.withLock { $0.append(notice) } })
        let name = try ObjectName("log/checkpoint")
        let version = try await store.replace(name, [1], expected: nil)
        _ = try directory.write("nothing", to: "credentials")
        clock.advance(by: .seconds(2))
        _ = try await store.replace(name, [2], expected: version)
        #expect(
            notices.withLock { $0 } == [
                "archive.s3.credentials.file: \(file) cannot be used; keeping the previous credentials: "
                    + "line 1 must have the form name = value"
            ])
        #expect(try await store.read(name)?.bytes == [2])
    }
}
