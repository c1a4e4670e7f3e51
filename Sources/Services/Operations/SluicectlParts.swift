package import AppStoreVerification
package import Configuration

/// What `sluicectl` needs from the services, injected where the executable is wired.
package struct SluicectlParts: Sendable {
    /// An executable whose configuration can be checked and shown.
    package struct Executable: Sendable {
        /// As operators type it.
        package let name: String
        /// Its settings.
        package let schema: ConfigurationSchema
        /// Whether an installation can do without it: checked only when named explicitly.
        package let isOptional: Bool
        /// Finds errors that the schema alone cannot.
        package let check: @Sendable (Configuration) throws(ConfigurationError) -> Void

        package init(
            name: String, schema: ConfigurationSchema, isOptional: Bool = false,
            check: @escaping @Sendable (Configuration) throws(ConfigurationError) -> Void
        ) {
            self.name = name
            self.schema = schema
            self.isOptional = isOptional
            self.check = check
        }
    }

    /// Apps and roots as the ingress reads them.
    package struct Verification: Sendable {
        /// Their settings; none is required.
        package let schema: ConfigurationSchema
        /// The pinned roots, each as DER.
        package let roots: @Sendable (Configuration) throws(ConfigurationError) -> [[UInt8]]
        /// The configured apps; empty when none is.
        package let apps: @Sendable (Configuration) throws(ConfigurationError) -> [AppIdentity]

        package init(
            schema: ConfigurationSchema,
            roots: @escaping @Sendable (Configuration) throws(ConfigurationError) -> [[UInt8]],
            apps: @escaping @Sendable (Configuration) throws(ConfigurationError) -> [AppIdentity]
        ) {
            self.schema = schema
            self.roots = roots
            self.apps = apps
        }
    }

    package let executables: [Executable]
    package let verification: Verification

    package init(executables: [Executable], verification: Verification) {
        self.executables = executables
        self.verification = verification
    }

    /// The keys that the executables and this tool read from the file and environment that they share.
    var sharedKeys: [String] {
        (executables.map(\.schema) + [OperationsSettings.inFiles]).flatMap(\.sharedKeys)
    }
}
