import type { LogLine } from '../client/implementation.ts';
import type { Subscriptions } from './subscriptions.ts';

const METHODS: readonly (readonly [method: 'error' | 'warn' | 'info' | 'log', level: string])[] = [
  ['error', 'error'],
  ['warn', 'warning'],
  ['info', 'info'],
  ['log', 'info'],
];
const MAX_CHARS = 2_048;
const MAX_ARGUMENTS = 20;

/** Reads what the host prints, by the channels of Node 24; `patch` replaces the methods on older versions. */
export function watchConsole(
  subscriptions: Subscriptions,
  mode: 'trail' | 'events' | 'patch',
  capture: (line: LogLine) => void,
): void {
  let isCapturing = false;
  const onLine = (level: string, parameters: readonly unknown[]) => {
    // What a hook of the host prints while its own line is captured.
    if (isCapturing) return;
    isCapturing = true;
    try {
      capture(readLine(level, parameters, mode !== 'trail'));
    } finally {
      isCapturing = false;
    }
  };
  if (mode === 'patch') {
    patchConsole(subscriptions, onLine);
    return;
  }
  for (const [method, level] of METHODS) {
    subscriptions.channel(`console.${method}`, (message) => {
      if (Array.isArray(message)) onLine(level, message);
    });
  }
}

function readLine(level: string, parameters: readonly unknown[], isEvent: boolean): LogLine {
  const words: string[] = [];
  const values: unknown[] = [];
  let error: unknown;
  for (const value of parameters.slice(0, MAX_ARGUMENTS)) {
    if (value instanceof Error) {
      error ??= value;
      words.push(`${value.name}: ${value.message}`);
    } else if (typeof value === 'object' && value !== null) values.push(value);
    else words.push(String(value));
  }
  return {
    level,
    message: words.join(' ').slice(0, MAX_CHARS),
    logger: 'console',
    attributes: values.length === 0 ? {} : { arguments: values },
    error,
    isEvent,
  };
}

function patchConsole(
  subscriptions: Subscriptions,
  onLine: (level: string, parameters: readonly unknown[]) => void,
): void {
  for (const [method, level] of METHODS) {
    const original = console[method];
    const replacement = (...parameters: unknown[]) => {
      try {
        onLine(level, parameters);
      } catch {
        // The host's line is what matters.
      }
      Reflect.apply(original, console, parameters);
    };
    console[method] = replacement;
    subscriptions.add(() => {
      if (console[method] === replacement) console[method] = original;
    });
  }
}
