internal import Foundation

extension PeerLibrary {
    /// Apple's library for Python. It caches a certificate chain only if online checks are enabled.
    static let applePython = PeerLibrary(
        name: "apple_python", package: "app-store-server-library==3.1.2", modes: ["offline", "online"],
        bodiesPerRound: 40, atLeast: 10
    ) { directory in
        let program = directory + "/verify.py"
        try Data(applePythonProgram.utf8).write(to: URL(fileURLWithPath: program))
        let python = directory + "/bin/python3"
        if (try? Toolchain.run(python, ["-c", "import appstoreserverlibrary"])) != nil { return [python, program] }
        guard (try? Toolchain.run("/usr/bin/env", ["python3", "-m", "venv", directory])) != nil else {
            throw BenchFailure("python3 with venv is not installed")
        }
        let install = [
            "-m", "pip", "install", "-q", "--disable-pip-version-check", "--timeout", "10", "--retries", "1",
        ]
        guard (try? Toolchain.run(python, install + ["app-store-server-library==3.1.2"])) != nil else {
            throw BenchFailure("pip cannot install it: is PyPI reachable?")
        }
        return [python, program]
    }

    private static let applePythonProgram = """
        import sys
        import time

        from appstoreserverlibrary.models.Environment import Environment
        from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier

        root, notifications, bundle_id, app_apple_id, mode = sys.argv[1:6]
        verifier = SignedDataVerifier(
            [open(root, "rb").read()], mode == "online", Environment.PRODUCTION, bundle_id, int(app_apple_id))
        lines = [line.rstrip("\\n").split("\\t") for line in open(notifications)]


        def verify(texts):
            verifier.verify_and_decode_notification(texts[0])
            verifier.verify_and_decode_signed_transaction(texts[1])
            verifier.verify_and_decode_renewal_info(texts[2])


        try:
            verifier.verify_and_decode_notification(lines[0][0][:-8] + "AAAAAAAA")
            sys.exit("an invalid signature was accepted")
        except Exception:
            pass
        verify(lines[0])
        print("ready", flush=True)
        done = 0
        for line in sys.stdin:
            start = time.process_time()
            for _ in range(int(line)):
                verify(lines[done % len(lines)])
                done += 1
            print(time.process_time() - start, flush=True)
        """
}
