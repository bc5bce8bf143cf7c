# Sourced by scripts that need root for a part of what they do: become_root sets as_root to what goes before such a
# command, and fails where there is no way.

as_root=()
become_root() {
    ((EUID)) || return 0
    # It may ask for a password only where somebody can give it.
    command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [[ -t 0 ]]; } || return 1
    as_root=(sudo)
}
