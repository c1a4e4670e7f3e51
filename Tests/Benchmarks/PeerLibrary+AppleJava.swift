internal import Foundation

extension PeerLibrary {
    /// Apple's library for Java.
    static let appleJava = PeerLibrary(
        name: "apple_java", package: "com.apple.itunes.storekit:app-store-server-library:5.2.0",
        modes: ["offline", "online"], bodiesPerRound: 400, atLeast: 10
    ) { directory in
        guard (try? Toolchain.run("/usr/bin/env", ["java", "--version"])) != nil,
            (try? Toolchain.run("/usr/bin/env", ["mvn", "--version"])) != nil
        else { throw BenchFailure("a JDK with Maven is not installed") }
        try Data(project.utf8).write(to: URL(fileURLWithPath: directory + "/pom.xml"))
        try Data(appleJavaProgram.utf8).write(to: URL(fileURLWithPath: directory + "/Verify.java"))
        let isThere = FileManager.default.fileExists(atPath: directory + "/libraries/.complete")
        let copy = ["mvn", "-q", "-B", "dependency:copy-dependencies", "-DoutputDirectory=\(directory)/libraries"]
        guard isThere || (try? Toolchain.run("/usr/bin/env", copy, in: directory)) != nil else {
            throw BenchFailure("mvn cannot fetch it: is its repository reachable?")
        }
        try Data().write(to: URL(fileURLWithPath: directory + "/libraries/.complete"))
        return ["java", "-cp", directory + "/libraries/*", directory + "/Verify.java"]
    }

    private static let project = """
        <project xmlns="http://maven.apache.org/POM/4.0.0">
          <modelVersion>4.0.0</modelVersion>
          <groupId>verify</groupId>
          <artifactId>verify</artifactId>
          <version>0</version>
          <dependencies>
            <dependency>
              <groupId>com.apple.itunes.storekit</groupId>
              <artifactId>app-store-server-library</artifactId>
              <version>5.2.0</version>
            </dependency>
          </dependencies>
        </project>

        """

    private static let appleJavaProgram = """
        import com.apple.itunes.storekit.model.Environment;
        import com.apple.itunes.storekit.verification.SignedDataVerifier;
        import com.apple.itunes.storekit.verification.VerificationException;
        import java.io.BufferedReader;
        import java.io.FileInputStream;
        import java.io.InputStreamReader;
        import java.lang.management.ManagementFactory;
        import java.nio.file.Files;
        import java.nio.file.Path;
        import java.util.List;
        import java.util.Set;

        class Verify {
            // By then, the compilers have done most of their work.
            static final int WARM = 8000;

            final SignedDataVerifier verifier;
            final List<String[]> lines;
            int done = 0;

            Verify(String[] arguments) throws Exception {
                verifier = new SignedDataVerifier(
                    Set.of(new FileInputStream(arguments[0])), arguments[2], Long.valueOf(arguments[3]),
                    Environment.PRODUCTION, arguments[4].equals("online"));
                lines = Files.readAllLines(Path.of(arguments[1])).stream().map(line -> line.split("\\t")).toList();
            }

            void verify(int count) throws Exception {
                for (int number = 0; number < count; number++) {
                    String[] texts = lines.get(done++ % lines.size());
                    verifier.verifyAndDecodeNotification(texts[0]);
                    verifier.verifyAndDecodeTransaction(texts[1]);
                    verifier.verifyAndDecodeRenewalInfo(texts[2]);
                }
            }

            boolean refuses(String signedPayload) {
                try {
                    verifier.verifyAndDecodeNotification(signedPayload);
                    return false;
                } catch (VerificationException error) {
                    return true;
                }
            }

            /// CPU nanoseconds of all threads, including compiler and garbage collector threads.
            static long cpu() {
                return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
                    .getProcessCpuTime();
            }

            public static void main(String[] arguments) throws Exception {
                Verify program = new Verify(arguments);
                String signedPayload = program.lines.get(0)[0];
                if (!program.refuses(signedPayload.substring(0, signedPayload.length() - 8) + "AAAAAAAA")) {
                    throw new Exception("an invalid signature was accepted");
                }
                program.verify(WARM);
                System.out.println("ready");
                BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
                for (String line = input.readLine(); line != null; line = input.readLine()) {
                    long start = cpu();
                    program.verify(Integer.parseInt(line));
                    System.out.println((cpu() - start) / 1e9);
                }
            }
        }
        """
}
