/// Why a server could not start.
public struct HTTPServerError: Error, Sendable, Equatable, CustomStringConvertible {
    public struct Code: Sendable, Equatable, CustomStringConvertible {
        public let description: String
        /// The port is taken by another process.
        public static let addressInUse = Code(description: "addressInUse")
        /// Not a numeric address, or none of this machine.
        public static let badHost = Code(description: "badHost")
        /// A port that only a privileged process may take.
        public static let notPermitted = Code(description: "notPermitted")
        /// The server was started before.
        public static let alreadyStarted = Code(description: "alreadyStarted")
        /// Anything else that the system refused; the message names it.
        public static let system = Code(description: "system")
    }

    public let code: Code
    /// One sentence with host, port and what to do.
    public let message: String
    public let host: String
    public let port: UInt16

    public var description: String { message }
}
