import { RootCommand } from '@bomb.sh/tab';
import { usageError } from '../../cli-error.ts';
import type { Run } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { printedBy } from './printed-by.ts';

/**
 * The script for bash. It needs nothing but bash itself, reads the line as it was typed, without the breaks that bash
 * makes at `@`, `:` and `=`, and lets nothing that it offers be expanded: names come from events of strangers.
 */
const BASH_SCRIPT = `# bash completion for culprit
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

const SHELLS = ['bash', 'zsh', 'fish'];

/** The place where each shell looks for scripts, as lines of the script itself. */
const INSTALL: Readonly<Record<string, string>> = {
  bash: 'culprit completion bash > ~/.local/share/bash-completion/completions/culprit',
  zsh: 'culprit completion zsh > ~/.zfunc/_culprit   (in ~/.zshrc: fpath+=~/.zfunc; autoload -U compinit; compinit)',
  fish: 'culprit completion fish > ~/.config/fish/completions/culprit.fish',
};

export const run: Run = async (context, input) => {
  const shell = input.first;
  if (!SHELLS.includes(shell)) throw usageError(`"${shell}" is not one of ${SHELLS.join(', ')}.`);
  const script =
    shell === 'bash' ? BASH_SCRIPT : printedBy(() => new RootCommand().setup('culprit', 'culprit', shell));
  // The first line of a script for zsh says what it completes, so the words come after it.
  const [first = '', ...others] = script.split('\n');
  const lines = first.startsWith('#compdef')
    ? [first, `# Install: ${INSTALL[shell]}`, ...others]
    : [`# Install: ${INSTALL[shell]}`, first, ...others];
  context.terminal.out(`${lines.join('\n').trimEnd()}\n`);
  return EXIT.ok;
};
