import { types } from 'node:util';

/** An exception as it goes into an event. */
export interface ErrorFacts {
  name: string;
  message: string;
  stack: string | null;
  /** The reasons below it, outermost first. */
  causes: { name: string; message: string; stack: string | null }[];
}

const CAUSES_MAX = 8;

/** Reads whatever was thrown, also errors of another realm such as a page's. */
export function errorFacts(thrown: unknown): ErrorFacts {
  const chain = errorChain(thrown);
  const [first = { name: 'Error', message: String(thrown), stack: null }, ...causes] = chain;
  return { ...first, causes };
}

function errorChain(thrown: unknown): Omit<ErrorFacts, 'causes'>[] {
  const chain: Omit<ErrorFacts, 'causes'>[] = [];
  let error = thrown;
  while (isError(error) && chain.length <= CAUSES_MAX) {
    chain.push({ name: error.name, message: error.message, stack: error.stack ?? null });
    error = error.cause;
  }
  return chain;
}

function isError(value: unknown): value is Error {
  return types.isNativeError(value) || value instanceof Error;
}
