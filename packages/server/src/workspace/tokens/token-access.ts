import type { TokenCaller } from './authenticate-member.ts';

/**
 * Returns true if the caller's credential permits such a request (docs/contract/account.md 4.2): a session and a token
 * with the access `full` permit every one, `read` those that change nothing, `build` those of a build alone.
 */
export function mayTokenAsk(
  caller: object | Pick<TokenCaller, 'access'> | null,
  { changes, isOfBuild }: { changes: boolean; isOfBuild: boolean },
): boolean {
  // A public endpoint has no caller.
  if (caller === null || !('access' in caller) || caller.access === 'full') return true;
  return caller.access === 'build' ? isOfBuild : !changes;
}
