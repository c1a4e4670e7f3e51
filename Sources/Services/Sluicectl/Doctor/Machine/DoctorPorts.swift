internal import Glibc

/// Checks whether an executable can listen on its addresses.
enum DoctorPorts {
    static func finding(
        _ listener: SluicectlParts.Dependencies.Listener, of executable: String
    ) -> DoctorFinding {
        func finding(_ status: FindingStatus, _ found: String, fix: String? = nil) -> DoctorFinding {
            DoctorFinding(status, .port, of: listener.setting, found, fix: fix)
        }
        let host = listener.host.contains(":") ? "[\(listener.host)]" : listener.host
        let place = "\(host):\(listener.port)"
        guard let address = try? NetworkAddress.resolve(listener.host, port: listener.port).first else {
            return finding(.problem, "\(place) is not a listener address", fix: "Set a numeric address")
        }
        let error = address.bindingError()
        switch error {
        case 0: return finding(.ok, listener.port == 0 ? "any free port on \(host)" : "\(place) is free")
        case EADDRINUSE: return inUse(place, listener, executable)
        case EACCES:
            return finding(
                .problem, "this user may not listen on \(place)",
                fix: "Set \(listener.setting) to a port above 1023, or grant CAP_NET_BIND_SERVICE")
        case EADDRNOTAVAIL:
            return finding(
                .problem, "\(place) is not an address of this machine",
                fix: "Set the host of \(listener.setting) to one of its addresses (ip address)")
        default: return finding(.unknown, "\(place): \(NetworkAddress.message(error))")
        }
    }

    private static func inUse(
        _ place: String, _ listener: SluicectlParts.Dependencies.Listener, _ executable: String
    ) -> DoctorFinding {
        let port = "set \(listener.setting) to a free port"
        let fix = "Stop that process, or \(port)"
        guard let process = ListeningProcess(port: listener.port) else {
            return DoctorFinding(
                .warning, .port, of: listener.setting, "\(place) is in use by another user's process",
                fix: "Unless it is \(executable) itself (check with: ss -ltnp sport = :\(listener.port)), stop that "
                    + "process, or \(port)")
        }
        let name = "\(process.name) (pid \(process.pid))"
        guard process.isOf(executable) else {
            return DoctorFinding(.problem, .port, of: listener.setting, "\(place) is in use by \(name)", fix: fix)
        }
        return DoctorFinding(.ok, .port, of: listener.setting, "\(place) is in use by the running \(name)")
    }
}
