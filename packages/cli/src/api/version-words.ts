import { getHealth } from '@culprit/contract/health';
import { type CliError, unsupportedError } from '../cli-error.ts';
import { VERSION } from '../version.ts';
import type { Calls } from './calls.ts';

/** A refusal of what an older server does not know, with the release of both sides. */
export async function olderServerError(api: Calls, what: string, mend: string | null): Promise<CliError> {
  const answer = await api.attempt(getHealth).catch(() => null);
  const server = answer?.ok === true ? ` (${answer.body.version})` : '';
  return unsupportedError(
    `This server${server} does not know ${what}; it needs a newer release, such as that of this program (${VERSION}).`,
    mend,
  );
}
