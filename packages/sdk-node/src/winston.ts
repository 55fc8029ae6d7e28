import { Writable } from 'node:stream';
import { EXCHANGED } from '../../sdk-core/src/redaction/clean.ts';
import { active } from './client/registry.ts';
import { levelOfName } from './loggers/log-levels.ts';

const LEVEL = Symbol.for('level');
const SPLAT = Symbol.for('splat');
const OWN_KEYS = new Set(['level', 'message', 'stack', 'error', 'err', 'timestamp', 'label']);
const MAX_KEYS = 60;

/** An object-mode writable, as winston asks for; its own types name the stream of Node. */
export interface CulpritTransport {
  readonly level: string | undefined;
  log(info: object, next: () => void): void;
}

/** For the `transports` of `winston.createLogger`: `new CulpritTransport()`. */
export const CulpritTransport: new (options?: { level?: string }) => CulpritTransport =
  class extends Writable {
    /** Read by winston; the library applies its own least level. */
    readonly level: string | undefined;

    constructor(options: { level?: string } = {}) {
      super({ objectMode: true });
      this.level = options.level;
    }

    /** winston calls transports of two parameters as streams. */
    log(info: object, next: () => void): void {
      report(info);
      next();
    }

    override _write(info: object, _encoding: string, done: () => void): void {
      report(info);
      done();
    }
  };

function report(info: object): void {
  try {
    const value = (key: string | symbol): unknown => Reflect.get(info, key);
    const level = value(LEVEL) ?? value('level');
    const message = value('message');
    const error = errorOf(info, message);
    active()?.captureLogLine({
      level: levelOfName(String(level)),
      message: messageOf(message),
      logger: typeof value('label') === 'string' ? String(value('label')) : null,
      attributes: Object.fromEntries(
        Object.entries(info)
          .filter(([key, each]) => !OWN_KEYS.has(key) && !isOfError(error, key, each))
          .slice(0, MAX_KEYS),
      ),
      error,
      isEvent: true,
    });
  } catch {
    // The host's log continues.
  }
}

function messageOf(message: unknown): string {
  if (typeof message === 'string') return message;
  return message instanceof Error ? message.message : '';
}

/**
 * winston and its format `errors` copy the members of an Error into the line: with those of HTTP clients, whole requests
 * and answers.
 */
function isOfError(error: unknown, key: string, value: unknown): boolean {
  if (error instanceof Error) return Reflect.get(error, key) === value;
  return error !== undefined && EXCHANGED.test(key);
}

/** The Error object itself where winston kept it, else what it copied from one. */
function errorOf(info: object, message: unknown): unknown {
  const value = (key: string | symbol): unknown => Reflect.get(info, key);
  const splat = value(SPLAT);
  const candidates = [info, message, value('error'), value('err'), ...(Array.isArray(splat) ? splat : [])];
  const found = candidates.find((candidate) => candidate instanceof Error);
  if (found !== undefined) return found;
  const stack = value('stack');
  if (typeof stack !== 'string') return undefined;
  return { name: /^(\w{1,100}):/.exec(stack)?.[1] ?? 'Error', message: messageOf(message), stack };
}
