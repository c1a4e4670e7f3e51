import Foundation

/// Files outside the checkout.
package enum Checkout {
    /// Returns the first match of `relative` in a parent directory of this file for which `isRight` returns true.
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
