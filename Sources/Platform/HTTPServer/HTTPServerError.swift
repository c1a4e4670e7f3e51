/// A failure to start a server.
public struct HTTPServerError: Error, Sendable, Equatable, CustomStringConvertible {
    public struct Code: Sendable, Equatable, CustomStringConvertible {
        public let description: String
        /// Another process uses the port.
        public static let addressInUse = Code(description: "addressInUse")
        /// The host is not a numeric address, or not an address of this machine.
        public static let badHost = Code(description: "badHost")
        /// Only a privileged process can bind the port.
        public static let notPermitted = Code(description: "notPermitted")
        /// The server has already been started.
        public static let alreadyStarted = Code(description: "alreadyStarted")
        /// Any other system error, described by the message.
        public static let system = Code(description: "system")
    }

    public let code: Code
    /// One sentence. For a failed listener, the sentence contains the host, the port and, if known, a fix.
    public let message: String
    public let host: String
    public let port: UInt16

    public var description: String { message }
}
