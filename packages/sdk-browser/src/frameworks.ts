import { captureException } from './api.ts';

/** For frameworks of pages that catch errors themselves and only print them, so that no listener hears of them. */

/** The details that React passes with an error. */
export interface ReactErrorInfo {
  componentStack?: string | null | undefined;
  /** The same in the form of React Router. */
  errorInfo?: { componentStack?: string | null | undefined } | undefined;
}

/**
 * React 19: `createRoot(element, { onCaughtError: reactErrorHandler })`. Errors that no boundary catches reach the page by
 * themselves. React 18: in `componentDidCatch`, with its two arguments. React Router: `onError` of its provider, without
 * the answers below 500 that a route throws.
 */
export function reactErrorHandler(error: unknown, info: ReactErrorInfo): void {
  if (isRefusal(error)) return;
  const componentStack = (info?.errorInfo ?? info)?.componentStack ?? null;
  report(error, { react: { componentStack } });
}

/** `app.config.errorHandler = vueErrorHandler`. */
export function vueErrorHandler(error: unknown, _instance: unknown, info: string): void {
  report(error, { vue: { info } });
}

/** `{ provide: ErrorHandler, useValue: angularErrorHandler }` among the providers of an Angular application. */
export const angularErrorHandler = {
  handleError(error: unknown): void {
    // Zones and the router wrap an Error or an answer.
    const inner = ['rejection', 'ngOriginalError']
      .map((name): unknown => (typeof error === 'object' && error !== null ? Reflect.get(error, name) : null))
      .find((each) => typeof Object(each).message === 'string');
    report(inner ?? error, {});
  },
};

/** Returns true for the object that React Router creates for a `Response` that a loader throws, such as a 404. */
function isRefusal(error: unknown): boolean {
  if (typeof error !== 'object' || error === null || typeof Reflect.get(error, 'internal') !== 'boolean')
    return false;
  const status: unknown = Reflect.get(error, 'status');
  return typeof status === 'number' && status < 500;
}

/** The frameworks print an error when they have no handler, so the handler prints it. */
function report(error: unknown, context: Readonly<Record<string, unknown>>): void {
  console.error(error);
  captureException(error, { handled: false, context });
}
