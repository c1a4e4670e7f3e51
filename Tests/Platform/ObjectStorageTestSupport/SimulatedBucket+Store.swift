import Configuration
import HTTPClient
package import ObjectStorage

extension SimulatedBucket {
    /// Creates a store for this bucket that never sleeps.
    ///
    /// - Parameter send: a transport between the store and the bucket; nil for none.
    package func store(attempts: Int = 40, send: FaultyTransport.Send? = nil) throws -> S3Store {
        var configuration = try S3Configuration(
            endpoint: "http://s3.example.com", region: "eu-central-1", bucket: name, prefix: nil)
        configuration.attempts = attempts
        let credentials = S3Credentials(accessKeyId: "A", secretAccessKey: Secret([1]))
        return S3Store(
            configuration,
            S3Client.Surroundings(
                send: send ?? { [self] request in answer(request) }, credentials: { credentials }, sleep: { _ in }))
    }
}
