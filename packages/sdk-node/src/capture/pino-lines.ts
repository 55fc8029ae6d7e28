import type { LogLine } from '../client/implementation.ts';
import { levelOfNumber } from '../loggers/log-levels.ts';
import { read, type Subscriptions } from './subscriptions.ts';

const MAX_KEYS = 60;
/** Facts of the process that every event carries. */
const BASE_KEYS = new Set(['pid', 'hostname', 'name']);

/** Reads the lines of pino 9.10 and newer, with the Error object itself, before they become text. */
export function watchPino(subscriptions: Subscriptions, capture: (line: LogLine) => void): void {
  subscriptions.channel('tracing:pino_asJson:start', (message) => {
    const parameters = read(message, 'arguments');
    const at = (index: number) =>
      typeof parameters === 'object' ? read(parameters, String(index)) : undefined;
    const level = at(2);
    if (typeof level !== 'number') return;
    const fields = at(0);
    const bindings = bindingsOf(read(message, 'instance'));
    const text = at(1);
    const error = errorOf(fields);
    const own = typeof fields === 'object' && fields !== null && !(fields instanceof Error) ? fields : {};
    capture({
      level: levelOfNumber(level),
      message: typeof text === 'string' ? text : messageOf(fields, error),
      logger: typeof bindings.name === 'string' ? bindings.name : null,
      attributes: {
        ...Object.fromEntries(Object.entries(bindings).filter(([key]) => !BASE_KEYS.has(key))),
        ...Object.fromEntries(ownData(own).filter(([, value]) => value !== error || error === undefined)),
      },
      error,
      isEvent: true,
    });
  });
}

/** Own data properties: no getter of the host is called. */
function ownData(fields: object): [string, unknown][] {
  const names = Object.getOwnPropertyNames(fields).slice(0, MAX_KEYS);
  return names.flatMap((name): [string, unknown][] => {
    const property = Object.getOwnPropertyDescriptor(fields, name);
    return property?.enumerable && 'value' in property ? [[name, property.value]] : [];
  });
}

function errorOf(fields: unknown): unknown {
  if (fields instanceof Error) return fields;
  for (const key of ['err', 'error']) {
    const value = read(fields, key);
    if (value instanceof Error) return value;
  }
  return undefined;
}

function messageOf(fields: unknown, error: unknown): string {
  const own = read(fields, 'msg');
  if (typeof own === 'string') return own;
  return error instanceof Error ? error.message : '';
}

function bindingsOf(instance: unknown): Record<string, unknown> {
  const bindings = read(instance, 'bindings');
  if (typeof bindings !== 'function') return {};
  const value: unknown = Reflect.apply(bindings, instance, []);
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}
