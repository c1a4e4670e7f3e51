/// Checks an executable's ports, directories, servers and buckets.
struct DoctorSurroundings {
    let executable: String
    let needs: SluicectlParts.Dependencies
    /// The outgoing proxy, if one is configured.
    let proxy: String?

    /// The connection timeout, for interactive use.
    private static let limit = Duration.seconds(3)

    func findings() async -> [DoctorFinding] {
        var findings = needs.listeners.map { DoctorPorts.finding($0, of: executable) }
        findings += needs.directories.flatMap { DoctorDirectories(directory: $0).findings }
        findings += endpoints
        for bucket in needs.buckets { findings.append(await Self.finding(bucket)) }
        return findings
    }

    /// Checks the servers that this machine connects to. With a proxy, only the proxy resolves their names.
    private var endpoints: [DoctorFinding] {
        let network = DoctorNetwork(limit: Self.limit)
        guard let proxy else { return needs.endpoints.flatMap { network.endpoint($0.setting, $0.url) } }
        let through = needs.endpoints.map {
            DoctorFinding(.unknown, .connection, of: $0.setting, "requests go through http.client.proxy")
        }
        return network.endpoint("http.client.proxy", proxy) + through
    }

    private static func finding(_ bucket: SluicectlParts.Dependencies.Bucket) async -> DoctorFinding {
        do {
            try await bucket.check()
            return DoctorFinding(.ok, .bucket, of: bucket.setting, "\(bucket.location) can be read and written")
        } catch {
            return DoctorFinding(
                .problem, .bucket, of: bucket.setting, "\(error)",
                fix: "Correct \(bucket.setting) or its credentials, or grant their user read and write access")
        }
    }
}
