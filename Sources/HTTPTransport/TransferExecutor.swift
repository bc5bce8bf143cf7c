import Dispatch

/// Has tasks run on the transfer thread, in between the transfers: what asks for one image after another then costs no
/// change of threads.
final class TransferExecutor: TaskExecutor {
    let mailbox: Mailbox

    init(_ mailbox: Mailbox) { self.mailbox = mailbox }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        // Without the thread it goes on elsewhere: a task has to come to its end in any case.
        if !mailbox.add(job) { DispatchQueue.global().async { [self] in run(job) } }
    }

    func run(_ job: UnownedJob) { job.runSynchronously(on: asUnownedTaskExecutor()) }
}
