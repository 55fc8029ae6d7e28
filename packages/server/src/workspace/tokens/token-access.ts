import type { TokenCaller } from './authenticate-member.ts';

/**
 * Whether what a caller holds is for such a request at all (docs/contract/account.md 4.2): a session and a token with the
 * access `full` for every one, `read` for those that change nothing, `build` for those of a build alone.
 */
export function mayTokenAsk(
  caller: object | Pick<TokenCaller, 'access'> | null,
  { changes, isOfBuild }: { changes: boolean; isOfBuild: boolean },
): boolean {
  // A public endpoint has no caller.
  if (caller === null || !('access' in caller) || caller.access === 'full') return true;
  return caller.access === 'build' ? isOfBuild : !changes;
}
