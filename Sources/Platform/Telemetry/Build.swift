/// The identity of this build.
package enum Build {
    /// The version of all executables (semver.org).
    package static let version = "0.2.0"
}
