import Foundation

/// Returns a port that is currently free.
package func freePort() throws -> UInt16 {
    let socket = Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(socket) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            bind(socket, $0, length) == 0 ? getsockname(socket, $0, &length) : -1
        }
    }
    guard result == 0 else { throw SupportError("no free port: \(String(cString: strerror(errno)))") }
    return UInt16(bigEndian: address.sin_port)
}
