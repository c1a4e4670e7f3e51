/// Part of check 14: `x5c` is leaf, intermediate and one more certificate, as Apple sends it. What the third one says
/// does not matter, because the root is ours.
enum ChainShapeCheck {
    static func check(_ path: ValidatedPath, of object: String) throws(Rejection) {
        guard !path.hasUnexpectedShape else {
            throw .nonconforming(.profileChain, detail: "\(object): x5c is not leaf, intermediate, root")
        }
    }
}
