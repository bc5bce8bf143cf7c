import CArchive
import CCurl
import CSQLite
import CXML
import Glibc

/// The C libraries that the program runs with, with their versions at run time.
enum LibraryVersions {
    static var all: [String] {
        // libcurl names itself and the libraries that it uses, such as "libcurl/7.88.1 OpenSSL/3.0.17".
        let network = String(cString: curl_version()).split(separator: " ").filter { !$0.hasPrefix("(") }
        let others = [
            "SQLite/\(String(cString: sqlite3_libversion()))", "libxml2/\(LIBXML_DOTTED_VERSION)",
            "libarchive/\(archiveVersion)",
        ]
        return (network.map(String.init) + others).map { name in
            String(name.map { $0 == "/" ? " " : $0 })
        } + [libraryOfC]
    }

    /// The C library with its version, such as "glibc 2.36".
    private static var libraryOfC: String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { room in
            guard let name = room.baseAddress, confstr(Int32(_CS_GNU_LIBC_VERSION), name, room.count) > 0
            else {
                return "a C library without a version"
            }
            return String(cString: name)
        }
    }

    /// The version of libarchive as it writes versions itself: three digits for each part after the first.
    private static var archiveVersion: String {
        let number = archive_version_number()
        return "\(number / 1_000_000).\(number / 1000 % 1000).\(number % 1000)"
    }
}
