import { bareText, readProperty, readText } from '../../../sdk-core/src/redaction/clean.ts';
import {
  classNameOf,
  type ExceptionFacts,
  errorsBehind,
  isError,
  readThrown,
} from '../../../sdk-core/src/redaction/read-error.ts';
import { attempt } from '../client/attempt.ts';

const FRAMES_MAX = 100;
const CAUSES_MAX = 8;
/** Members in which drivers, ORMs and `using` keep the error that theirs replaces. */
const WRAPPED = ['error', 'suppressed', 'original', 'originalError', 'driverError'];

/** The facts of what was thrown. */
export function readFacts(thrown: unknown): ExceptionFacts {
  const facts = readThrown(thrown, classNameOf);
  if (facts.stack !== null) return facts;
  const message = messageForPage(thrown);
  if (message !== '') return { ...facts, message };
  return { ...facts, stack: stackOfCallSites(facts, thrown) ?? stackOfEngine(thrown) };
}

/** The message of what `error(503, 'no stock')` of SvelteKit throws: a member of the value for the page. */
function messageForPage(thrown: unknown): string {
  const keys = attempt(() => Object.keys(Object(thrown)).join());
  return keys === 'status,body' ? bareText(readText(readProperty(thrown, 'body'), 'message')) : '';
}

/** The facts of the errors behind one, texts among them: what is given as a cause need be no Error. */
export function readCauses(thrown: unknown): ExceptionFacts[] {
  const behind: unknown[] = errorsBehind(thrown);
  const add = (value: unknown) => {
    if (!behind.includes(value) && ((typeof value === 'string' && value !== '') || isError(value)))
      behind.push(value);
  };
  for (const error of [thrown, ...behind]) add(readProperty(error, 'cause'));
  for (const key of WRAPPED) add(readProperty(thrown, key));
  const members = readProperty(thrown, 'errors');
  for (let i = 0; i < CAUSES_MAX; i += 1) add(readProperty(members, String(i)));
  return behind
    .filter((value) => value !== thrown)
    .slice(0, CAUSES_MAX)
    .map(readFacts);
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
