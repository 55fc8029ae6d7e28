import { usageError } from '../cli-error.ts';
import type { CommandSpec } from '../command.ts';
import { COMMAND_GROUPS } from '../command-table.ts';
import type { Input } from '../input.ts';

/** The command that knows the local incidents which are named, with the flags that it has in common. */
export function localCounterpart(command: CommandSpec, input: Input): CommandSpec {
  const local = COMMAND_GROUPS.flatMap(({ commands }) => commands).find(({ path }) => path === command.local);
  if (local === undefined) return command;
  const names = new Set(local.flags?.map(({ name }) => name));
  const foreign = command.flags?.find(({ name }) => input.has(name) && !names.has(name));
  if (foreign !== undefined)
    throw usageError(`--${foreign.name} is not for local incidents.`, `culprit ${local.path} --help`);
  return local;
}
