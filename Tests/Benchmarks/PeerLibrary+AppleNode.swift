import CommandLine
internal import Foundation

extension PeerLibrary {
    /// Apple's library for Node. It caches a certificate chain only if online checks are enabled.
    static let appleNode = PeerLibrary(
        name: "apple_node", package: "@apple/app-store-server-library@3.1.0", modes: ["offline", "online"],
        bodiesPerRound: 200, atLeast: 10
    ) { directory in
        guard (try? Toolchain.run("/usr/bin/env", ["npm", "--version"])) != nil else {
            throw BenchFailure("node with npm is not installed")
        }
        let program = directory + "/verify.js"
        try Data(appleNodeProgram.utf8).write(to: URL(fileURLWithPath: program))
        let isThere = FileManager.default.fileExists(
            atPath: directory + "/node_modules/@apple/app-store-server-library/package.json")
        let install = [
            "npm", "install", "--prefix", directory, "--no-audit", "--no-fund", "--fetch-retries", "0",
            "@apple/app-store-server-library@3.1.0",
        ]
        guard isThere || (try? Toolchain.run("/usr/bin/env", install, in: directory)) != nil else {
            throw BenchFailure("npm cannot install it: is its registry reachable?")
        }
        return ["node", program]
    }

    private static let appleNodeProgram = """
        const { Environment, SignedDataVerifier } = require("@apple/app-store-server-library")
        const { readFileSync } = require("fs")
        const { createInterface } = require("readline")

        const [root, notifications, bundleId, appAppleId, mode] = process.argv.slice(2)
        const verifier = new SignedDataVerifier(
            [readFileSync(root)], mode === "online", Environment.PRODUCTION, bundleId, Number(appAppleId))
        const lines = readFileSync(notifications, "utf8").split("\\n").map(line => line.split("\\t"))
        let done = 0

        async function verify(count) {
            for (let number = 0; number < count; number++) {
                const texts = lines[done++ % lines.length]
                await verifier.verifyAndDecodeNotification(texts[0])
                await verifier.verifyAndDecodeTransaction(texts[1])
                await verifier.verifyAndDecodeRenewalInfo(texts[2])
            }
        }

        async function main() {
            const wrong = lines[0][0].slice(0, -8) + "AAAAAAAA"
            const isRefused = await verifier.verifyAndDecodeNotification(wrong).then(() => false, () => true)
            if (!isRefused) { throw new Error("an invalid signature was accepted") }
            await verify(500)
            console.log("ready")
            for await (const line of createInterface({ input: process.stdin })) {
                const start = process.cpuUsage()
                await verify(Number(line))
                const { user, system } = process.cpuUsage(start)
                console.log((user + system) / 1e6)
            }
        }

        main().catch(error => { console.error(error); process.exit(1) })
        """
}
