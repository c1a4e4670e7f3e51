internal import Glibc

/// Raises the limit of open descriptors of this process. Returns false if the system does not allow it.
package func allowDescriptors(_ count: UInt) -> Bool {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return false }
    guard limit.rlim_cur < count else { return true }
    guard limit.rlim_max >= count else { return false }
    limit.rlim_cur = count
    return setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
}
