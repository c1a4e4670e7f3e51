/// The rights of a principal, which one or more executables use.
struct AccessGrant: Equatable {
    /// The principal's name in Kafka, including its type: `User:sluice-ingress`.
    let principal: String
    let executables: [AccessTable.Executable]
    let rights: [AccessRight]

    /// - Parameters:
    ///   - executables: the executables to which rights are granted.
    ///   - principal: the principal for all of them, or nil for one principal per executable, with the executable's
    ///     name.
    static func grants(
        to executables: [AccessTable.Executable], as principal: String?, _ table: AccessTable
    ) -> [AccessGrant] {
        guard let principal else {
            return executables.map {
                AccessGrant(principal: "User:\($0.rawValue)", executables: [$0], rights: table.rights(of: $0))
            }
        }
        return [
            AccessGrant(
                principal: principal, executables: executables,
                rights: AccessRight.merged(executables.flatMap(table.rights)))
        ]
    }
}
