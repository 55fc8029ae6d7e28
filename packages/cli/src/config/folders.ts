import { homedir } from 'node:os';
import { join } from 'node:path';

export type Environment = Readonly<Record<string, string | undefined>>;

/** A variable of the environment; set to nothing counts as unset. */
export function variable(environment: Environment, name: string): string | null {
  const value = environment[name];
  return value === undefined || value === '' ? null : value;
}

/** The folder of the user's settings and credentials. */
export function configFolder(environment: Environment): string {
  return (
    variable(environment, 'CULPRIT_CONFIG_DIR') ??
    join(variable(environment, 'XDG_CONFIG_HOME') ?? join(homeOf(environment), '.config'), 'culprit')
  );
}

/** The folder of what may be deleted at any time: progress of imports, last lists, facts about servers. */
export function stateFolder(environment: Environment): string {
  const named = variable(environment, 'CULPRIT_CONFIG_DIR');
  if (named !== null && variable(environment, 'XDG_STATE_HOME') === null) return join(named, 'state');
  return join(
    variable(environment, 'XDG_STATE_HOME') ?? join(homeOf(environment), '.local', 'state'),
    'culprit',
  );
}

export function homeOf(environment: Environment): string {
  return variable(environment, 'HOME') ?? homedir();
}
