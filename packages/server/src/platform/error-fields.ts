import { OutageError } from './outage-error.ts';

const MESSAGE_CHARACTERS_MAX = 2000;
const STACK_CHARACTERS_MAX = 8000;

/** The fields of a log entry about an error. */
interface ErrorFields {
  errorName?: string;
  errorMessage: string;
  /** The code of the system or the database, such as `ECONNREFUSED` or `57014`. */
  errorCode?: string;
  stack?: string;
}

/**
 * The fields by which an error is logged, with its stack: `log.warn({ jobId, ...errorFields(error) }, 'job failed')`.
 * Bounded, and without the other members of the error, which may hold data. An outage has no stack.
 */
export function errorFields(error: unknown): ErrorFields {
  if (!(error instanceof Error)) return { errorMessage: bounded(String(error), MESSAGE_CHARACTERS_MAX) };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : null;
  const stack = error instanceof OutageError ? undefined : error.stack;
  return {
    errorName: error.name,
    errorMessage: bounded(error.message, MESSAGE_CHARACTERS_MAX),
    ...(code === null ? {} : { errorCode: code }),
    ...(stack === undefined ? {} : { stack: bounded(stack, STACK_CHARACTERS_MAX) }),
  };
}

/** Returns the message of an error, for texts that other programs or people read. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function bounded(text: string, charactersMax: number): string {
  return text.length > charactersMax ? `${text.slice(0, charactersMax)}…` : text;
}
