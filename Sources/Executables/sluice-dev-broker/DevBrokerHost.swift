internal import CFixedPort
internal import Configuration
internal import KafkaDevBroker
internal import Lifecycle

/// The `host` setting of `sluice-dev-broker`.
enum DevBrokerHost {
    /// - Parameter host: an IPv4 address in dotted-decimal notation, or a name.
    /// - Throws: a `StartupError` if the name has no IPv4 address, or if the address is 0.0.0.0, which no client can
    ///   connect to.
    static func address(_ host: String) throws(StartupError) -> DevBroker.Address? {
        let number = fixed_port_resolve(host)
        let text = withUnsafeBytes(of: number) { $0.map(String.init).joined(separator: ".") }
        guard number != 0 else {
            throw StartupError(
                host == text
                    ? "the brokers would advertise this address, but no client can connect to it"
                    : "\(host) has no IPv4 address",
                setting: DevBrokerCommand.host.key, fix: "Set it to an address or a name of this machine",
                exitCode: .configuration)
        }
        return DevBroker.Address(text) { isChosen in fixed_port_set_address(isChosen ? number : 0) }
    }
}
