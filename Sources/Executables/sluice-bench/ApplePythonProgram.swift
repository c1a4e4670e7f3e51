/// What runs in Apple's Python library: for each line on standard input, a number, it verifies that many notifications and
/// writes the CPU seconds that it took.
enum ApplePythonProgram {
    static let text = """
        import json
        import sys
        import time

        from appstoreserverlibrary.models.Environment import Environment
        from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier

        root, bodies, bundle_id, app_apple_id, online = sys.argv[1:6]
        verifier = SignedDataVerifier(
            [open(root, "rb").read()], online == "online", Environment.PRODUCTION, bundle_id, int(app_apple_id))
        payloads = [json.loads(line)["signedPayload"] for line in open(bodies)]


        def verify(payload):
            data = verifier.verify_and_decode_notification(payload).data
            verifier.verify_and_decode_signed_transaction(data.signedTransactionInfo)
            verifier.verify_and_decode_renewal_info(data.signedRenewalInfo)


        try:
            verifier.verify_and_decode_notification(payloads[0][:-8] + "AAAAAAAA")
            sys.exit("a wrong signature was accepted")
        except Exception:
            pass
        verify(payloads[0])
        print("ready", flush=True)
        done = 0
        for line in sys.stdin:
            start = time.process_time()
            for _ in range(int(line)):
                verify(payloads[done % len(payloads)])
                done += 1
            print(time.process_time() - start, flush=True)
        """
}
