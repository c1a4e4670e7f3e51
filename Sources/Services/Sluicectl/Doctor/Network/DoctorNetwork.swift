internal import FoundationEssentials

/// Checks name resolution and connections, without speaking any protocol.
struct DoctorNetwork {
    /// A server named in a setting.
    struct Server: Hashable {
        let host: String
        let port: Int

        var text: String { (host.contains(":") ? "[\(host)]" : host) + ":\(port)" }
    }

    /// The timeout for each connection.
    let limit: Duration

    /// Checks each bootstrap broker. If one of them accepts connections, a failure to connect to the others is only a
    /// warning.
    func brokers(_ servers: String) -> [DoctorFinding] {
        let key = "kafka.bootstrap.servers"
        let all = Self.servers(servers).map { findings($0, setting: key, start: "Start Kafka there") }
        let isReached = all.contains { $0.allSatisfy { $0.status == .ok } }
        return all.joined().map { finding in
            guard isReached, finding.status == .problem else { return finding }
            return DoctorFinding(.warning, finding.check, of: finding.subject, finding.found, fix: finding.fix)
        }
    }

    /// Checks the server in a URL.
    func endpoint(_ setting: String, _ url: String) -> [DoctorFinding] {
        guard let parts = URL(string: url), let host = parts.host(percentEncoded: false), !host.isEmpty else {
            return [DoctorFinding(.problem, .dns, of: setting, "the URL has no host", fix: "Correct \(setting)")]
        }
        let port = parts.port ?? (url.lowercased().hasPrefix("http://") ? 80 : 443)
        return findings(Server(host: host, port: port), setting: setting, start: "Start the server there")
    }

    private func findings(_ server: Server, setting: String, start: String) -> [DoctorFinding] {
        let addresses: [NetworkAddress]
        do throws(NetworkAddress.Failure) {
            addresses = try NetworkAddress.resolve(server.host, port: server.port)
        } catch {
            return [
                DoctorFinding(
                    .problem, .dns, of: server.host, "\(setting): the name cannot be resolved: \(error.message)",
                    fix: "Correct \(setting), or this machine's DNS (getent hosts \(server.host))"),
                DoctorFinding(.unknown, .connection, of: server.text, "its name cannot be resolved"),
            ]
        }
        let resolved = DoctorFinding(
            .ok, .dns, of: server.host, "\(setting): " + addresses.map(\.text).joined(separator: ", "))
        return [resolved] + connections(addresses, server, setting: setting, start: start)
    }

    private func connections(
        _ addresses: [NetworkAddress], _ server: Server, setting: String, start: String
    ) -> [DoctorFinding] {
        var failures: [String] = []
        for address in addresses {
            do throws(NetworkAddress.Failure) {
                try address.connect(within: limit)
                return [DoctorFinding(.ok, .connection, of: server.text, "\(address.text) accepts connections")]
            } catch {
                failures.append("\(address.text): \(error.message)")
            }
        }
        return [
            DoctorFinding(
                .problem, .connection, of: server.text, "\(setting): " + failures.joined(separator: "; "),
                fix: "\(start), correct \(setting), or allow the connection in the firewall")
        ]
    }

    /// Parses `kafka.bootstrap.servers`: comma-separated hosts, each with an optional protocol and port.
    static func servers(_ text: String) -> [Server] {
        text.split(separator: ",").compactMap { entry in
            var entry = entry.drop { $0 == " " }
            while entry.last == " " { entry.removeLast() }
            if let scheme = entry.firstRange(of: "://") { entry = entry[scheme.upperBound...] }
            guard !entry.isEmpty else { return nil }
            let end = entry.lastIndex(of: "]").map { entry.index(after: $0) } ?? entry.startIndex
            let colon = entry[end...].lastIndex(of: ":")
            let host = entry[..<(colon ?? entry.endIndex)].filter { $0 != "[" && $0 != "]" }
            return Server(host: host, port: colon.flatMap { Int(entry[entry.index(after: $0)...]) } ?? 9092)
        }
    }
}
