import Foundation

/// What lies beside the checkout.
package enum Checkout {
    /// The first `relative` in a folder above this file for which `isRight` holds.
    package static func beside(_ relative: String, where isRight: (String) -> Bool) -> String? {
        var folder = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
        while folder.path != "/" {
            let candidate = folder.appending(path: relative).path
            if isRight(candidate) { return candidate }
            folder.deleteLastPathComponent()
        }
        return nil
    }
}
