import Glibc

/// The path with every symbolic link followed; nil where nothing is there, or where that is no text.
func realPath(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(validatingCString: resolved)
}
