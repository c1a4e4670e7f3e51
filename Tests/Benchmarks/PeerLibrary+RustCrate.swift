internal import Foundation

extension PeerLibrary {
    /// The fastest published library that we found, a crate that is not from Apple. If online checks are enabled, it
    /// caches the certificate chain without sending OCSP requests.
    ///
    /// Cargo gets the crate from its registry, or from a source configured in a parent directory, such as vendored
    /// crates.
    static let rustCrate = PeerLibrary(
        name: "rust_crate", package: "app-store-server-library 6.0.1 (Rust, aws-lc)", modes: ["offline", "online"],
        bodiesPerRound: 400, atLeast: 1
    ) { directory in
        guard (try? Toolchain.run("/usr/bin/env", ["cargo", "--version"])) != nil else {
            throw BenchFailure("cargo is not installed")
        }
        try FileManager.default.createDirectory(atPath: directory + "/src", withIntermediateDirectories: true)
        try Data(manifest.utf8).write(to: URL(fileURLWithPath: directory + "/Cargo.toml"))
        try Data(rustProgram.utf8).write(to: URL(fileURLWithPath: directory + "/src/main.rs"))
        let build = ["cargo", "build", "--quiet", "--release"]
        guard (try? Toolchain.run("/usr/bin/env", build, in: directory, seconds: 900)) != nil else {
            throw BenchFailure("cargo cannot build it: is its registry or a folder of vendored crates reachable?")
        }
        return [directory + "/target/release/verify"]
    }

    private static let manifest = """
        [package]
        name = "verify"
        version = "0.0.0"
        edition = "2021"

        [dependencies]
        app-store-server-library = { version = "=6.0.1", default-features = false, features = ["aws_lc"] }

        [workspace]

        """

    private static let rustProgram = """
        use app_store_server_library::models::app_store_environment::Environment;
        use app_store_server_library::signed_data_verifier::SignedDataVerifier;
        use std::io::{BufRead, Write};

        #[repr(C)]
        struct Time {
            seconds: i64,
            nanoseconds: i64,
        }

        extern "C" {
            fn clock_gettime(clock: i32, time: *mut Time) -> i32;
        }

        /// CPU seconds of all threads.
        fn cpu() -> f64 {
            let mut time = Time { seconds: 0, nanoseconds: 0 };
            // CLOCK_PROCESS_CPUTIME_ID of Linux.
            assert_eq!(unsafe { clock_gettime(2, &mut time) }, 0);
            time.seconds as f64 + time.nanoseconds as f64 / 1e9
        }

        fn main() {
            let arguments: Vec<String> = std::env::args().collect();
            let root = std::fs::read(&arguments[1]).expect("the root");
            let text = std::fs::read_to_string(&arguments[2]).expect("the notifications");
            let app = arguments[4].parse().expect("the app's number");
            let verifier = SignedDataVerifier::new(
                vec![root], Environment::Production, arguments[3].clone(), Some(app), arguments[5] == "online")
                .expect("a verifier");
            let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split('\\t').collect()).collect();
            let verify = |texts: &Vec<&str>| {
                assert!(verifier.verify_and_decode_notification(texts[0]).is_ok(), "notification");
                assert!(verifier.verify_and_decode_signed_transaction(texts[1]).is_ok(), "transaction");
                assert!(verifier.verify_and_decode_renewal_info(texts[2]).is_ok(), "renewal info");
            };
            let wrong = format!("{}AAAAAAAA", &lines[0][0][..lines[0][0].len() - 8]);
            assert!(verifier.verify_and_decode_notification(&wrong).is_err(), "an invalid signature was accepted");
            verify(&lines[0]);
            println!("ready");
            let mut done = 0;
            for line in std::io::stdin().lock().lines() {
                let count: usize = line.expect("a line").parse().expect("a number");
                let start = cpu();
                for _ in 0..count {
                    verify(&lines[done % lines.len()]);
                    done += 1;
                }
                println!("{}", cpu() - start);
                std::io::stdout().flush().expect("an output");
            }
        }
        """
}
