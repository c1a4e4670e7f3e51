/// Why a server could not start.
package struct HTTPServerError: Error, Sendable, Equatable, CustomStringConvertible {
    package struct Code: Sendable, Equatable, CustomStringConvertible {
        package let description: String
        /// The port is taken by another process.
        package static let addressInUse = Code(description: "addressInUse")
        /// Not a numeric address, or none of this machine.
        package static let badHost = Code(description: "badHost")
        /// A port that only a privileged process may take.
        package static let notPermitted = Code(description: "notPermitted")
        /// The server was started before.
        package static let alreadyStarted = Code(description: "alreadyStarted")
        /// Anything else that the system refused; the message names it.
        package static let system = Code(description: "system")
    }

    package let code: Code
    /// One sentence with host, port and what to do.
    package let message: String
    package let host: String
    package let port: UInt16

    package var description: String { message }
}
