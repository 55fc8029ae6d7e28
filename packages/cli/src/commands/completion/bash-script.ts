/**
 * The script for bash. It needs nothing but bash itself, reads the line as it was typed, without the breaks that bash
 * makes at `@`, `:` and `=`, and lets nothing that it offers be expanded: names come from events of strangers.
 */
export const BASH_SCRIPT = `# bash completion for culprit
_culprit() {
    local line="\${COMP_LINE:0:COMP_POINT}" word flag value kept words=()
    read -ra words <<< "$line"
    [[ $line == *[[:space:]] ]] && words+=('')
    word="\${words[\${#words[@]}-1]}"
    # Values of --flag=value are offered without their flag.
    [[ $word == -*=* ]] && flag="\${word%%=*}="
    # Bash replaces only what stands behind its last break.
    kept="\${word%"\${word##*["$COMP_WORDBREAKS"]}"}"
    COMPREPLY=()
    while IFS=$'\\t' read -r value _; do
        [[ $value != :* && $flag$value == "$word"* ]] || continue
        value="$flag$value"
        COMPREPLY+=("\${value#"$kept"}")
    done < <(culprit complete -- "\${words[@]:1}" 2>/dev/null)
}
complete -o bashdefault -o default -F _culprit culprit
`;
