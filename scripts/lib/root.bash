# Runs single commands as root, for other scripts. become_root sets as_root to the words that precede such a command,
# and fails if the user cannot become root.

as_root=()
become_root() {
    ((EUID)) || return 0
    # sudo may ask for a password only on a terminal.
    command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [[ -t 0 ]]; } || return 1
    as_root=(sudo)
}
