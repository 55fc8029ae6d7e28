import { RootCommand } from '@bomb.sh/tab';
import { usageError } from '../../cli-error.ts';
import type { Run } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { BASH_SCRIPT } from './bash-script.ts';
import { printedBy } from './printed-by.ts';

const SHELLS = ['bash', 'zsh', 'fish'];

/** Where each shell looks for scripts, as lines of the script itself. */
const INSTALL: Readonly<Record<string, string>> = {
  bash: 'culprit completion bash > ~/.local/share/bash-completion/completions/culprit',
  zsh: 'culprit completion zsh > ~/.zfunc/_culprit   (in ~/.zshrc: fpath+=~/.zfunc; autoload -U compinit; compinit)',
  fish: 'culprit completion fish > ~/.config/fish/completions/culprit.fish',
};

export const run: Run = async (context, input) => {
  const shell = input.first;
  if (!SHELLS.includes(shell)) throw usageError(`"${shell}" is none of ${SHELLS.join(', ')}.`);
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
