import { captureException } from './api.ts';

/** For frameworks of pages that catch errors themselves and only print them, so that no listener hears of them. */

/** What React says of an error. */
export interface ReactErrorInfo {
  componentStack?: string | null | undefined;
}

/**
 * React 19: `createRoot(element, { onCaughtError: reactErrorHandler })`. Errors that no boundary catches reach the page by
 * themselves. React 18: in `componentDidCatch`, with its two arguments.
 */
export function reactErrorHandler(error: unknown, info: ReactErrorInfo): void {
  report(error, { react: { componentStack: info?.componentStack ?? null } });
}

/** `app.config.errorHandler = vueErrorHandler`. */
export function vueErrorHandler(error: unknown, _instance: unknown, info: string): void {
  report(error, { vue: { info } });
}

/** `{ provide: ErrorHandler, useValue: angularErrorHandler }` among the providers of an Angular application. */
export const angularErrorHandler = {
  handleError(error: unknown): void {
    // What zones and the router wrap.
    const inner = ['rejection', 'ngOriginalError']
      .map((name): unknown => (typeof error === 'object' && error !== null ? Reflect.get(error, name) : null))
      .find((each) => each instanceof Error);
    report(inner ?? error, {});
  },
};

/** The frameworks print an error when they have no handler, so the handler prints it. */
function report(error: unknown, context: Readonly<Record<string, unknown>>): void {
  console.error(error);
  captureException(error, { handled: false, context });
}
