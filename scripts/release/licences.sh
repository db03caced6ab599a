# Sourced by what makes releases, which has $licences, the folder for the licences of others, and die MESSAGE.

libraries_of_others=$(dirname "${BASH_SOURCE[0]}")/libraries.txt

needed() { readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'; }
licence_of() { sed -n "s/^$1  *//p" "$libraries_of_others"; }
package_of() { { dpkg-query -S "$1" || dpkg-query -S "${1#/usr}"; } 2>/dev/null | head -n 1 | cut -d : -f 1 || true; }

copy_licence() { install -Dm 644 "/usr/share/doc/$1/copyright" "$licences/$1" || die "the licence of $1 was not found"; }

# Texts that the licences refer to, as Debian has them.
copy_common_licences() {
    local text
    for text in $(grep -rhoE '/usr/share/common-licenses/[A-Za-z0-9]+(-[0-9]+(\.[0-9]+)*)?' "$licences" | sort -u); do
        install -Dm 644 "$text" "$licences/common-licenses/${text##*/}"
    done
}
