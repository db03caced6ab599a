#!/bin/sh
# man_page.sh NAME VERSION WHAT [--only REGEX] PROGRAM [ARGUMENT ...]: a page for man(1), on standard output, from what the
# program says with --help, and each of its subcommands. --only: of its options those that match alone.
set -eu
case ${1:-} in -h | --help) sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0" && exit ;; esac
name=$1 version=$2 what=$3
shift 3
only=.
if [ "$1" = --only ]; then
    only=$2
    shift 2
fi
export COLUMNS=100 NO_COLOR=1

# Text for roff: a hyphen as it is typed, and no line that begins with a request.
roff='
function roff(text) {
    gsub(/\\/, "\\e", text)
    gsub(/-/, "\\-", text)
    gsub(/  +/, " ", text)
    return text ~ /^[.'"'"']/ ? "\\&" text : text
}
# Begins a paragraph, which the first one of a section needs nothing for.
function paragraph() { return has_begun++ ? ".PP\n" : "" }'
# What --help prints: a line on the whole, "Usage: ...", headings that end in a colon, and options at the left with their
# text behind two spaces, or on the next lines further right.
help_to_roff="$roff"'
tolower($1) == "usage:" { goes_on = 0; sub(/^[A-Za-z]+: */, ""); print paragraph() ".B " roff($0); next }
/^OVERVIEW: / { sub(/^OVERVIEW: /, "") }
/^[A-Za-z][A-Za-z ]*:$/ { heading = substr($0, 1, length($0) - 1); goes_on = is_option = 0; next }
/^ *$/ { goes_on = 0; next }
/^ ? ? ? ? ? ?[^ ]/ && /^ / {
    is_option = $0 ~ only
    if (!is_option) next
    if (heading != "") { print ".SS " roff(heading); heading = "" }
    sub(/^ +/, "")
    at = match($0, /  +/)
    print ".TP\n.B " roff(at ? substr($0, 1, at - 1) : $0)
    if (at) { text = substr($0, at + RLENGTH); sub(/^- +/, "", text); print roff(text) }
    next
}
/^ / {
    if (!is_option) next
    match($0, /^ +/)
    text = substr($0, RLENGTH + 1)
    print (RLENGTH > 30 || text ~ /^-/ ? ".br\n" : "") roff(text)  # A row of a list within the text.
    next
}
{ print (goes_on ? "" : paragraph()) roff($0); goes_on = 1 }'

printf '.TH %s 1 "" "Catena %s" "Catena"\n.ad l\n.SH NAME\n' "$(printf %s "$name" | tr a-z A-Z)" "$version"
printf '%s\n' "$name - $what" | sed 's/-/\\-/g'
echo '.SH DESCRIPTION'
"$@" --help | awk -v only="$only" "$help_to_roff"
for subcommand in $("$@" --help | awk '/^Subcommands:/ { inside = 1; next } inside && /^  [a-z]/ { print $1 }'); do
    printf '.SH %s\n' "$(printf '%s %s' "$name" "$subcommand" | tr a-z A-Z)"
    "$@" "$subcommand" --help | awk -v only="$only" "$help_to_roff"
done
