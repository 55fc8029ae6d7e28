import { parseObject } from '../sending/acknowledgement.ts';
import { base64Bytes } from '../sending/base64.ts';
import type { Directive, Service } from '../wire.ts';
import { concerns, isDirective } from './directives.ts';

const TOKEN_CHARS_MAX = 2048;
const CACHE_MS = 60_000;
const CACHE_MAX = 100;
const CHECKS_A_SECOND = 20;

/** The parts of a trigger token (docs/contract/ingestion.md 6.4); its signature is not checked yet. */
export interface TriggerToken {
  /** The signed text. */
  signed: string;
  signature: string;
  directive: Directive;
}

/** Null for what is no trigger token, whatever is wrong with it. */
export function readTriggerToken(token: unknown): TriggerToken | null {
  if (typeof token !== 'string' || token.length > TOKEN_CHARS_MAX) return null;
  const match = /^(?:svc|dbundle)_probe_([\w-]+)\.([\w-]+)$/.exec(token);
  const [, signed = '', signature = ''] = match ?? [];
  const fields = parseObject(utf8Text(base64Bytes(signed)));
  if (!fields) return null;
  const directive: unknown = { ...fields, expires_at: fields.trigger_expires_at };
  return isDirective(directive) ? { signed, signature, directive } : null;
}

/** Compares texts of any content in a time that depends on the length of `given` alone. */
function equalsInConstantTime(given: string, expected: string): boolean {
  let difference = given.length ^ expected.length;
  for (let i = 0; i < given.length; i += 1) difference |= given.charCodeAt(i) ^ expected.charCodeAt(i);
  return difference === 0;
}

/** Returns true if a trigger whose signature was checked is in force here. */
export function isTriggerInForce(
  directive: Directive,
  service: Pick<Service, 'name' | 'environment'>,
  nowMs: number,
): boolean {
  return Date.parse(directive.expires_at) > nowMs && concerns(directive, service);
}

/**
 * Checks trigger tokens with the key of the project: results are remembered for a minute, and more than 20 checks a
 * second are ignored. Any failure is null.
 * @param hmac unpadded base64url of HMAC-SHA256 with the UTF-8 bytes of the key
 */
export function createTriggerChecks(settings: {
  service: Pick<Service, 'name' | 'environment'>;
  now(): number;
  key(): string | null;
  hmac(key: string, text: string): string;
}): (token: unknown) => Directive | null {
  const known = new Map<string, { directive: Directive | null; key: string; atMs: number }>();
  let second = 0;
  let checks = 0;
  return (token) => {
    const key = settings.key();
    if (key === null || typeof token !== 'string' || token.length > TOKEN_CHARS_MAX) return null;
    const nowMs = settings.now();
    let result = known.get(token);
    if (!result || result.key !== key || Math.abs(nowMs - result.atMs) > CACHE_MS) {
      const current = Math.floor(nowMs / 1000);
      if (current !== second) {
        second = current;
        checks = 0;
      }
      if (checks === CHECKS_A_SECOND) return null;
      checks += 1;
      const read = readTriggerToken(token);
      const isSigned = read !== null && equalsInConstantTime(read.signature, settings.hmac(key, read.signed));
      result = { directive: isSigned ? read.directive : null, key, atMs: nowMs };
      known.delete(token);
      if (known.size === CACHE_MAX) for (const oldest of [...known.keys()].slice(0, 1)) known.delete(oldest);
      known.set(token, result);
    }
    const { directive } = result;
    return directive && isTriggerInForce(directive, settings.service, nowMs) ? directive : null;
  };
}

function utf8Text(bytes: readonly number[]): string {
  try {
    return decodeURIComponent(bytes.map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''));
  } catch {
    return '';
  }
}
