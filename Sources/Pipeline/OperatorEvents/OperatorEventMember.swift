internal import Glibc
internal import Telemetry

/// The member that publishes an operator event.
package struct OperatorEventMember: Hashable, Sendable {
    /// The name of the executable, such as `sluice-webhooks`.
    package let executable: String
    /// The host and the process ID, such as `webhooks-1:4242`. It identifies one run of the executable.
    package let instance: String
    /// The release, such as `0.2.0`.
    package let release: String

    package init(executable: String, instance: String, release: String) {
        self.executable = executable
        self.instance = instance
        self.release = release
    }

    /// This process.
    package static func current(executable: String) -> OperatorEventMember {
        OperatorEventMember(executable: executable, instance: "\(hostName()):\(getpid())", release: Build.version)
    }

    /// The value of `ce_source`, which is a path.
    package var source: String { "/sluice/\(executable)/\(instance)" }

    /// Returns the host name. Characters with a special meaning in a path are replaced.
    private static func hostName() -> String {
        // Linux limits names to 64 bytes. `gethostname` fails if the buffer is too small.
        var buffer = [CChar](repeating: 0, count: 256)
        guard gethostname(&buffer, buffer.count - 1) == 0 else { return "unknown" }
        return pathComponent(buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) })
    }

    /// Returns the name with every byte other than ASCII letters, digits, hyphens and periods replaced by a hyphen.
    static func pathComponent(_ name: some Sequence<UInt8>) -> String {
        let text = name.map { byte in
            let scalar = Unicode.Scalar(byte)
            let isKept = scalar.isASCII && (scalar.properties.isAlphabetic || (0x30...0x39).contains(byte))
            return isKept || byte == UInt8(ascii: ".") ? byte : UInt8(ascii: "-")
        }
        return text.isEmpty ? "unknown" : String(decoding: text, as: UTF8.self)
    }
}
