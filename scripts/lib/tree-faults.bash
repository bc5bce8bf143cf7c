# Kills runs that write a tree of files, for scripts/faults. It uses variables and functions of that script and of
# archive-faults.bash.

# Puts foreign files into a tree: one with the name of an image, and others.
furnish() { # TREE
    mkdir -p "$1/$tree_folder" "$1/mine"
    echo mine >"$1/$tree_folder/$tree_name"
    echo mine >"$1/$tree_folder/other.png"
    echo mine >"$1/mine/notes"
}

# Prints the digest and the path of every file in a tree.
contents() { # TREE
    (cd "$1" && find . -type f -exec sha256sum {} + | sort)
}

# Copies the lists of the files that runs made in trees from one cache to another.
hand_over_lists() { # FROM TO
    [[ $1 != "$2" && -d $1/outputs ]] || return 0
    rm -rf "$2/outputs"
    cp -a "$1/outputs" "$2/outputs"
}

# Writes the tree of a version. The second version gives every image another name, and a sidecar.
write_tree() { # VERSION TREE
    local options=()
    [[ $1 == first ]] || options=(--xmp --name '{feed}/{title} again')
    exec "$feedsync" tree --cache "$work/$1" "${options[@]}" "$2"
}

tree_faults() { # KILLS
    local tree=$work/tree version last=first whole kill landed=0 tree_folder tree_name
    unfinished=0 touched=0
    for version in first second; do
        publish "$version"
        "$feedsync" --cache "$work/$version" "$feed"
    done
    # The names of the images come from a tree elsewhere. In the tree itself, the foreign file under the name of an image
    # would look like a changed one beside files that the user has deleted.
    "$feedsync" tree --cache "$work/first" "$work/names"
    tree_folder=$(ls "$work/names")
    tree_name=("$work/names/$tree_folder"/*)
    tree_name=${tree_name[0]##*/}
    for version in first second; do
        furnish "$work/$version-tree"
        (write_tree "$version" "$work/$version-tree")
        contents "$work/$version-tree" >"$work/$version.contents"
    done
    furnish "$tree"
    contents "$tree" >"$work/mine.contents"
    whole=$(seconds_of "$feedsync" tree --cache "$work/first" "$tree")

    for ((kill = 1; kill <= $1; kill++)); do
        # Half of the runs start a tree, half update the tree of the other version.
        ((kill % 2)) || { rm -rf "$tree"; furnish "$tree"; }
        (((kill + kill / 4) % 2)) && version=first || version=second
        hand_over_lists "$work/$last" "$work/$version"
        last=$version
        kill_within "$whole" write_tree "$version" "$tree"
        ((ended != 137)) || landed=$((landed + 1))
        contents "$tree" | comm -13 - "$work/mine.contents" | cmp -s - /dev/null ||
            problem touched "a foreign file in the tree was changed"
        (write_tree "$version" "$tree") 2>"$work/error" || cat "$work/error" >&2
        contents "$tree" | cmp -s - "$work/$version.contents" || problem unfinished "the tree is not what it should be"
    done
    echo "$1 kills of a tree, $landed before it was done: $unfinished that the next run did not complete," \
        "$touched that changed foreign files"
}
