import { readProperty } from '../../../sdk-core/src/redaction/clean.ts';
import { classNameOf, type ExceptionFacts, readThrown } from '../../../sdk-core/src/redaction/read-error.ts';
import { attempt } from '../client/attempt.ts';

const FRAMES_MAX = 100;

/** The facts of what was thrown. */
export function readFacts(thrown: unknown): ExceptionFacts {
  const facts = readThrown(thrown, classNameOf);
  if (facts.stack !== null) return facts;
  return { ...facts, stack: stackOfCallSites(facts, thrown) ?? stackOfEngine(thrown) };
}

/** The engine's own text, where the host's `Error.prepareStackTrace` throws: it is asked when a stack is first read. */
function stackOfEngine(thrown: unknown): string | null {
  const { prepareStackTrace } = Error;
  if (prepareStackTrace === undefined) return null;
  Reflect.set(Error, 'prepareStackTrace', undefined);
  const { stack } = readThrown(thrown, classNameOf);
  Reflect.set(Error, 'prepareStackTrace', prepareStackTrace);
  return stack;
}

/** A host that has made `Error.prepareStackTrace` return the call sites has a list in place of the text. */
function stackOfCallSites({ name, message }: ExceptionFacts, thrown: unknown): string | null {
  const sites = readProperty(thrown, 'stack');
  if (!Array.isArray(sites) || typeof readProperty(sites[0], 'getFileName') !== 'function') return null;
  const lines = attempt(() => sites.slice(0, FRAMES_MAX).map((site) => `\n    at ${String(site)}`)) ?? [];
  return lines.length === 0 ? null : `${name}: ${String(message)}${lines.join('')}`;
}
