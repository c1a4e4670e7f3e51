/// An error in an object store operation. Equality compares the code and the message.
package struct ObjectStoreError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kind of failure. Callers base decisions on it, never on the message.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Value: String {
            case invalidName, invalidURL, exists, changed, locked, full, denied, noStore, unsafePath, tooLarge, corrupt
            case unavailable, notDurable, failed
        }

        private let value: Value

        /// The text is not a valid object name.
        package static let invalidName = Code(value: .invalidName)
        /// The text is not a valid store URL, or a setting contradicts it.
        package static let invalidURL = Code(value: .invalidURL)
        /// An object with this name already exists and was not changed.
        package static let exists = Code(value: .exists)
        /// The object does not have the expected version: another writer was faster, or the object does not exist.
        package static let changed = Code(value: .changed)
        /// Another writer holds the lock.
        package static let locked = Code(value: .locked)
        /// There is no space left, or a quota is exhausted.
        package static let full = Code(value: .full)
        /// The operating system or the server denies access.
        package static let denied = Code(value: .denied)
        /// The folder or the bucket does not exist.
        package static let noStore = Code(value: .noStore)
        /// An object's path leads to a symbolic link, or to something other than a file or a folder.
        package static let unsafePath = Code(value: .unsafePath)
        /// The object exceeds the maximum size.
        package static let tooLarge = Code(value: .tooLarge)
        /// The data does not match its checksum, or the server's response is malformed.
        package static let corrupt = Code(value: .corrupt)
        /// The server did not respond or reported temporary failures until no attempts were left.
        package static let unavailable = Code(value: .unavailable)
        /// An object could not be made durable. This remains true until the object is deleted and created again.
        package static let notDurable = Code(value: .notDurable)
        /// Any other failure; see the message.
        package static let failed = Code(value: .failed)

        package var description: String { value.rawValue }
    }

    package let code: Code
    /// One sentence with the path or URL, the failed operation, the reason given by the system or the server, and the
    /// fix for an operator.
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// Whether the call may succeed later, with the same program and settings.
    package var isRetriable: Bool { [.full, .locked, .unavailable, .failed].contains(code) }

    package var description: String { "\(message) (\(code))" }
}
