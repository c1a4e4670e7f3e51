internal import HTTPClient
internal import Synchronization

/// A client whose thread begins with the first request: a configuration is also read where no token is needed.
final class LazyClient: Sendable {
    private let configuration: HTTPClient.Configuration
    private let client = Mutex<HTTPClient?>(nil)

    init(_ configuration: HTTPClient.Configuration) { self.configuration = configuration }

    var value: HTTPClient {
        client.withLock { client in
            let made = client ?? HTTPClient(configuration)
            client = made
            return made
        }
    }
}
