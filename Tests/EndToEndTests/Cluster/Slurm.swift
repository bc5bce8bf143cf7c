import Glibc
import TestSupport

/// A Slurm cluster of two nodes on this machine.
///
/// It ends when it is released.
final class Slurm: Sendable {
    let directory: TemporaryDirectory
    private let daemons: [StartedProcess]

    init() async throws {
        directory = try TemporaryDirectory()
        let path = directory.path
        try directory.write(
            (0..<64).map { _ in "0123456789abcdef".randomElement().map(String.init) ?? "0" }.joined(), to: "munge.key")
        chmod("\(path)/munge.key", 0o600)
        try directory.write("", to: "cgroup.conf")
        for name in ["state", "spool-n0", "spool-n1"] { try directory.makeDirectory(name) }
        let ports = [try freePort(), try freePort(), try freePort()]
        try directory.write(Self.configuration(path, ports), to: "slurm.conf")
        let munge = try StartedProcess(
            "/usr/sbin/munged",
            [
                "--foreground", "--force", "--key-file=\(path)/munge.key", "--socket=\(path)/munge.socket",
                "--pid-file=\(path)/munge.pid", "--log-file=\(path)/munge.log", "--seed-file=\(path)/munge.seed",
            ])
        let configuration = "\(path)/slurm.conf"
        daemons = [
            munge, try StartedProcess("/usr/sbin/slurmctld", ["-D", "-f", configuration]),
            try StartedProcess("/usr/sbin/slurmd", ["-D", "-N", "n0", "-f", configuration]),
            try StartedProcess("/usr/sbin/slurmd", ["-D", "-N", "n1", "-f", configuration]),
        ]
        while try await run("sinfo", "-h", "-t", "idle", "-o", "%D").outputText != "2\n" {
            if let gone = daemons.compactMap(\.result).first { throw SystemFailure("Slurm ended: \(gone.errorText)") }
        }
    }

    deinit { for daemon in daemons.reversed() { daemon.kill(SIGKILL) } }

    private static func configuration(_ path: String, _ ports: [UInt16]) -> String {
        var name = [CChar](repeating: 0, count: 256)
        gethostname(&name, name.count)
        let host = String(decoding: name.prefix { $0 != 0 && $0 != 46 }.map(UInt8.init), as: UTF8.self)
        let user = getpwuid(getuid()).flatMap { String(validatingCString: $0.pointee.pw_name) } ?? "root"
        // A task that is requeued can start again only after its old credential has expired.
        return """
            ClusterName=test
            SlurmctldHost=\(host)(127.0.0.1)
            SlurmctldPort=\(ports[0])
            SlurmUser=\(user)
            SlurmdUser=\(user)
            StateSaveLocation=\(path)/state
            SlurmdSpoolDir=\(path)/spool-%n
            SlurmctldPidFile=\(path)/slurmctld.pid
            SlurmdPidFile=\(path)/slurmd-%n.pid
            AuthType=auth/munge
            AuthInfo=socket=\(path)/munge.socket,cred_expire=5
            ProctrackType=proctrack/pgid
            TaskPlugin=task/none
            MpiDefault=none
            SchedulerType=sched/builtin
            SelectType=select/cons_tres
            SelectTypeParameters=CR_CPU
            ReturnToService=2
            NodeName=n0 NodeHostname=\(host) NodeAddr=127.0.0.1 Port=\(ports[1]) CPUs=2 State=UNKNOWN
            NodeName=n1 NodeHostname=\(host) NodeAddr=127.0.0.1 Port=\(ports[2]) CPUs=2 State=UNKNOWN
            PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP OverSubscribe=FORCE:8

            """
    }

    /// Runs one of Slurm's commands.
    ///
    /// Jobs find the program as `feedsync`, and each node has its own disk.
    @discardableResult
    func run(_ command: String, _ arguments: String...) async throws -> ProcessResult {
        try await Subprocess.run(
            command, arguments,
            environment: [
                "SLURM_CONF": directory.path("slurm.conf"), "PATH": "\(directory.path("bin")):/usr/bin:/bin",
                "HOME": directory.path, "NODE_LOCAL": directory.path("local"),
            ])
    }
}
