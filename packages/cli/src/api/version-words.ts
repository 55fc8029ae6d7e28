import type { Endpoint } from '@culprit/contract/endpoints/endpoint';
import { getHealth } from '@culprit/contract/endpoints/health';
import { getServer } from '@culprit/contract/endpoints/server';
import { type CliError, unsupportedError } from '../cli-error.ts';
import { VERSION } from '../version.ts';
import type { Calls } from './calls.ts';

/** The refusal of a request that an older server lacks, with the release of both sides. */
export async function olderServerError(api: Calls, what: string, hint: string | null): Promise<CliError> {
  const answer = await api.attempt(getHealth).catch(() => null);
  const server = answer?.ok === true ? ` (${answer.body.version})` : '';
  return unsupportedError(
    `This server${server} does not support ${what}; that needs a newer release, such as that of this program (${VERSION}).`,
    hint,
  );
}

/** Why an endpoint that this program knows is not there. */
export async function missingEndpointError(
  api: Calls,
  { path }: Pick<Endpoint, 'path'>,
  hint: string | null,
): Promise<CliError> {
  const answer = path.includes('/source-maps') ? await api.attempt(getServer).catch(() => null) : null;
  if (answer?.ok === true && !answer.body.features.includes('source_maps')) {
    return unsupportedError(
      'This server does not accept source maps: CULPRIT_SOURCE_MAPS is off, or it is older than this program.',
      hint,
    );
  }
  return await olderServerError(api, "the command's endpoint", hint);
}
