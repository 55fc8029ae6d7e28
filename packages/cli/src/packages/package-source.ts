import { getServer } from '@culprit/contract/endpoints/server';
import type { PackageSource } from '@culprit/contract/setup/install-lines';
import { CliError } from '../cli-error.ts';
import type { Context } from '../context.ts';

/** The packages of the server that the settings name; null when it hands out none, or does not answer. */
export async function packageSource(context: Context): Promise<PackageSource | null> {
  try {
    const { origin } = context.settings();
    const { publicApi } = await import('../api/open-api.ts');
    const answer = await publicApi(context, origin).attempt(getServer);
    const version = answer.ok ? answer.body.packages?.version : undefined;
    return version === undefined ? null : { baseUrl: origin, version };
  } catch (error) {
    if (error instanceof CliError) return null;
    throw error;
  }
}
