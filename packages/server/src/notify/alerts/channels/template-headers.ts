import type { GuardedRequest } from '../../../platform/outbound/send-guarded.ts';
import { Secret } from '../../../platform/secrets/secret.ts';

/** Headers that a rule by template names, each `Name: value` (docs/contract/notifications.md 1.19). */

/** Those that describe the request or its connection, and those of other credentials. */
const REFUSED =
  /^(?:host|cookie|content-.*|user-agent|transfer-encoding|connection|keep-alive|te|trailer|upgrade|expect|proxy-.*)$/;

/** Returns the fault in the headers of a rule, for people; null when there is none. */
export function templateHeadersFault(headers: readonly string[]): string | null {
  const names = headers.map(nameIn);
  const refused = names.find((name) => REFUSED.test(name));
  if (refused !== undefined) return `cannot have ${refused}`;
  if (new Set(names).size < names.length) return 'has a name twice';
  return headers.some((header) => /^\*{3}$|^$/.test(valueIn(header)))
    ? 'has a value that is empty or masked: send the whole value'
    : null;
}

/** The headers of the request. `Authorization` goes to the address of the rule alone. */
export function templateHeaders(
  headers: readonly string[] = [],
): Pick<GuardedRequest, 'authorization'> & { headers: Record<string, string> } {
  const named = new Map(headers.map((header) => [nameIn(header), valueIn(header)]));
  const authorization = named.get('authorization');
  return {
    headers: Object.fromEntries(named),
    ...(authorization === undefined ? {} : { authorization: new Secret(authorization) }),
  };
}

function nameIn(header: string): string {
  return header.slice(0, header.indexOf(':')).toLowerCase();
}

function valueIn(header: string): string {
  return header.slice(header.indexOf(':') + 1).trim();
}
