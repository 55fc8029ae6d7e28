import { listDsnKeys } from '@culprit/contract/events/dsn-keys';
import { notFoundError, usageError } from '../../cli-error.ts';
import type { Run } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { printJson, printLines } from '../../output/print.ts';
import { findListed } from '../../records/find-listed.ts';
import { projectId } from '../../references/project-reference.ts';

const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]{0,99}$/;

/** The address of a live key that may be used from everywhere, alone on standard output. */
export const run: Run = async (context, input) => {
  const name = input.text('env');
  if (name !== null && !VARIABLE.test(name))
    throw usageError(`--env must be the name of a variable, not "${name}".`);
  const api = await context.api();
  const params = { id: await projectId(context) };
  // The list begins with the newest, and the oldest is the one that came with the project.
  let found: string | null = null;
  await findListed(api, listDsnKeys, params, 'keys', (key) => {
    const { dsn, allowed_origins: origins, revoked_at: revokedAt } = key;
    const isPlain = revokedAt === null && Array.isArray(origins) && origins.length === 0;
    if (isPlain && typeof dsn === 'string') found = dsn;
    return false;
  });
  if (found === null) {
    throw notFoundError(
      'The project has no active DSN key for all senders.',
      'culprit keys create --label servers',
    );
  }
  if (context.globals.json) printJson(context, { dsn: found });
  else printLines(context, [name === null ? found : `${name}=${found}`]);
  return EXIT.ok;
};
