import { type Command, RootCommand } from '@bomb.sh/tab';
import type { CommandSpec } from '../../command.ts';
import { COMMAND_GROUPS } from '../../command-table.ts';
import type { Environment } from '../../config/folders.ts';
import type { Flag } from '../../flag.ts';
import { GLOBAL_FLAGS } from '../../global-flags.ts';
import { knownNames, type NameKind } from '../../state/known-names.ts';
import { printedBy } from './printed-by.ts';

type Complete = (value: string, description: string) => void;

/** Flags whose values are names that earlier lists showed. */
const NAMES_OF_FLAG: Readonly<Record<string, NameKind>> = {
  project: 'projects',
  service: 'services',
  environment: 'environments',
};

/** The end of the library's answer which means that names of files are no answer. */
const NO_FILES = ':4';
const FILES = ':0';

/**
 * The names that a shell can insert into its line unquoted. The sender of an event writes its names, and zsh does not
 * quote what it inserts, so a name with anything that a shell would obey is not offered.
 */
const SAFE_NAME = /^[\p{L}\p{N}_@][\p{L}\p{N}_.@/+-]{0,99}$/u;

/** Answers a request of a shell. It reads the state folder and asks no server. */
export function complete(
  environment: Environment,
  words: readonly string[],
  write: (text: string) => void,
): void {
  const answer = printedBy(() => completionOf(environment).parse([...words]));
  // If there is nothing to offer, the argument can be a file.
  write(`${answer === NO_FILES ? FILES : answer}\n`);
}

/** Everything that can be completed, from the table of commands. */
function completionOf(environment: Environment): RootCommand {
  const root = new RootCommand();
  for (const { noun, says, commands } of COMMAND_GROUPS) {
    if (noun !== null) root.command(noun, says);
    for (const spec of commands) addCommand(environment, root, spec);
  }
  return root;
}

function addCommand(environment: Environment, root: RootCommand, spec: CommandSpec): void {
  const words = spec.path.split(' ');
  // A noun below a noun, such as `capture policy`, is a separate command for the library.
  if (words.length > 2) root.command(words.slice(0, -1).join(' '), '');
  const command = root.command(spec.path, spec.says);
  for (const flag of [...(spec.flags ?? []), ...GLOBAL_FLAGS]) addFlag(environment, command, flag);
  if (spec.arguments?.includes('REF') === true) {
    const kind = spec.path.startsWith('projects') ? 'projects' : 'incidents';
    command.argument('ref', (offer: Complete) => {
      for (const name of safeNames(environment, kind)) offer(name, '');
      if (kind === 'incidents') offer('@latest', 'latest activity');
    });
  }
}

function addFlag(environment: Environment, command: Command, flag: Flag): void {
  const { name, says, short, value, choices } = flag;
  if (value === undefined) {
    command.option(name, says, short);
    return;
  }
  const kind = NAMES_OF_FLAG[name];
  command.option(
    name,
    says,
    (offer: Complete) => {
      const values = choices ?? (kind === undefined ? [] : safeNames(environment, kind));
      for (const each of values) offer(each, '');
    },
    short,
  );
}

function safeNames(environment: Environment, kind: NameKind): string[] {
  return knownNames(environment, kind).filter((name) => SAFE_NAME.test(name));
}
