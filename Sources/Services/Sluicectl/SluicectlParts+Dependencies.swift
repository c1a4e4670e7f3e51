package import Kafka

extension SluicectlParts {
    /// Everything that an executable needs outside its own process, for `sluicectl doctor`.
    package struct Dependencies: Sendable {
        /// An address on which the executable listens.
        package struct Listener: Sendable {
            /// The name of the port's setting.
            package let setting: String
            /// A numeric IPv4 or IPv6 address.
            package let host: String
            /// The port; 0 means any free port.
            package let port: Int

            package init(_ setting: String, host: String, port: Int) {
                (self.setting, self.host, self.port) = (setting, host, port)
            }
        }

        /// A directory that the executable writes to.
        package struct Directory: Sendable {
            package let setting: String
            package let path: String
            /// Whether the executable creates a missing directory.
            package let isCreated: Bool

            package init(_ setting: String, _ path: String, isCreated: Bool) {
                (self.setting, self.path, self.isCreated) = (setting, path, isCreated)
            }
        }

        /// A server to which the executable sends HTTP requests.
        package struct Endpoint: Sendable {
            package let setting: String
            package let url: String

            package init(_ setting: String, _ url: String) { (self.setting, self.url) = (setting, url) }
        }

        /// A bucket that the executable writes to.
        package struct Bucket: Sendable {
            package let setting: String
            package let location: String
            /// Reads from and writes to the bucket as the executable does at startup. Throws an error that states the
            /// reason if either fails.
            package let check: @Sendable () async throws -> Void

            package init(_ setting: String, _ location: String, check: @escaping @Sendable () async throws -> Void) {
                (self.setting, self.location, self.check) = (setting, location, check)
            }
        }

        /// The topics that must exist, with their required settings.
        package var topics: [KafkaTopicExpectation] = []
        package var listeners: [Listener] = []
        package var directories: [Directory] = []
        package var endpoints: [Endpoint] = []
        package var buckets: [Bucket] = []
        /// Whether the executable verifies data signed by Apple, and therefore has apps, roots and possibly API keys.
        package var verifies = false

        package init() {}
    }
}
