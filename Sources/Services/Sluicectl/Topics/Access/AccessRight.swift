/// The operations that a principal may perform on one topic or group.
struct AccessRight: Hashable {
    /// The kinds of resources, as spelled by Strimzi.
    enum Resource: String {
        case topic, group
    }

    /// Kafka's operations, as spelled by `kafka-acls.sh` and Strimzi.
    enum Operation: String, CaseIterable {
        case read = "Read"
        case write = "Write"
        case describe = "Describe"
        case describeConfigs = "DescribeConfigs"
    }

    let resource: Resource
    let name: String
    /// The operations, in the order of ``Operation``. Describe is omitted if Read or Write, which imply it, is present.
    let operations: [Operation]

    init(_ resource: Resource, _ name: String, _ operations: Set<Operation>) {
        self.resource = resource
        self.name = name
        let isImplied = operations.contains(.read) || operations.contains(.write)
        self.operations = Operation.allCases.filter { operations.contains($0) && !(isImplied && $0 == .describe) }
    }

    /// Merges the permissions for each resource into one value with all of the resource's operations, ordered by first
    /// occurrence.
    static func merged(_ rights: [AccessRight]) -> [AccessRight] {
        var order: [AccessRight] = []
        var operations: [Key: Set<Operation>] = [:]
        for right in rights {
            let key = Key(resource: right.resource, name: right.name)
            if operations[key] == nil { order.append(right) }
            operations[key, default: []].formUnion(right.operations)
        }
        return order.map { right in
            AccessRight(
                right.resource, right.name, operations[Key(resource: right.resource, name: right.name)] ?? [])
        }
    }

    private struct Key: Hashable {
        let resource: Resource
        let name: String
    }
}
