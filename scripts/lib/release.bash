# Builds the program as it is released, for other scripts. The Swift libraries are linked into it. It does not search
# its own directory for other libraries, because another user may be able to write there.

release=(-c release --static-swift-stdlib --disable-local-rpath)

release_binary() {
    local folder
    # The assignment fails if the command fails. `echo "$(…)"` would hide that.
    folder=$(swift build "${release[@]}" --show-bin-path) && echo "$folder/feedsync"
}

# Makes feedsync ignore the config file and the environment variables of the user.
no_own_settings() {
    unset "${!FEEDSYNC_@}"
    export FEEDSYNC_NO_CONFIG=true
}
