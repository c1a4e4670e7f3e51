/// Why an operation on a store of objects failed. Equality compares code and message.
package struct ObjectStoreError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kind of failure; callers decide on this, never on the text.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Value: String {
            case invalidName, invalidURL, exists, changed, locked, full, denied, noStore, unsafePath, tooLarge, corrupt
            case unavailable, notDurable, failed
        }

        private let value: Value

        /// Not the name of an object.
        package static let invalidName = Code(value: .invalidName)
        /// Not the URL of a store, or a setting that does not fit it.
        package static let invalidURL = Code(value: .invalidURL)
        /// There is an object of this name already; it was not changed.
        package static let exists = Code(value: .exists)
        /// The object is not of the version that was expected: another writer was faster, or it is not there.
        package static let changed = Code(value: .changed)
        /// Another writer holds the lock.
        package static let locked = Code(value: .locked)
        /// No space, or a quota is used up.
        package static let full = Code(value: .full)
        /// The operating system or the server refuses it to this user.
        package static let denied = Code(value: .denied)
        /// The folder or the bucket does not exist.
        package static let noStore = Code(value: .noStore)
        /// A symbolic link, or another thing that is neither file nor folder, is where an object would be.
        package static let unsafePath = Code(value: .unsafePath)
        /// The object is larger than objects may be.
        package static let tooLarge = Code(value: .tooLarge)
        /// What was read does not fit its checksum, or the server's answer is not of the expected form.
        package static let corrupt = Code(value: .corrupt)
        /// The server did not answer, or answered that it cannot now; all attempts are used up.
        package static let unavailable = Code(value: .unavailable)
        /// An object could not be made durable; it stays so until it is deleted and created again.
        package static let notDurable = Code(value: .notDurable)
        /// Anything else; the message says what.
        package static let failed = Code(value: .failed)

        package var description: String { value.rawValue }
    }

    package let code: Code
    /// One sentence: the path or the URL, what was attempted, the reason in the system's or the server's words, and what
    /// an operator can do.
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// Whether the same call may succeed later without a change to the program or its settings.
    package var isRetriable: Bool { [.full, .locked, .unavailable, .failed].contains(code) }

    package var description: String { "\(message) (\(code))" }
}
