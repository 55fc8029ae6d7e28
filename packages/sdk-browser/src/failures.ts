import { attempt } from '../../sdk-core/src/attempt.ts';
import { bareText, readText } from '../../sdk-core/src/redaction/clean.ts';
import { isError } from '../../sdk-core/src/redaction/read-error.ts';
import { resolveUrl } from './address.ts';
import type { CaptureSwitches } from './options.ts';
import { listen, type Undo } from './replace.ts';

/** A failure that the browser reports. */
export interface PageFailure {
  error: unknown;
  /** The further fields of the event. */
  payload?: Record<string, unknown>;
}

const OPAQUE_MAX = 5;

/** Address without query, fragment and credentials: docs/contract/clients.md 5.3. */
export function bareUrl(address: string): string {
  return address.replace(/[?#].*/s, '').replace(/\/\/[^/]*@/, '//');
}

/** Watches for uncaught errors, and elements that failed to load: docs/contract/clients.md 5.1. */
export function watchErrors(capture: Partial<CaptureSwitches>, report: (failure: PageFailure) => void): Undo {
  let opaqueCount = 0;
  return listen(globalThis, 'error', (event) => {
    const { target } = event;
    if (event instanceof ErrorEvent) {
      if (capture.errors === false) return;
      const { error, message, filename, lineno, colno } = event;
      const opaque = error == null && !filename;
      if (opaque && ++opaqueCount > OPAQUE_MAX) return;
      report({
        error: error ?? message,
        payload: isError(error)
          ? {}
          : {
              browser_event: {
                kind: 'window_error',
                opaque,
                message: bareText(message),
                file_name: bareUrl(filename),
                line_number: lineno,
                column_number: colno,
              },
            },
      });
    } else if (capture.resources !== false && target instanceof Element) {
      const read = (name: string) => target.getAttribute(name);
      const address = read('src') ?? read('href') ?? '';
      report({
        error: null,
        payload: {
          name: 'ResourceError',
          message: `Failed to load ${target.localName}`,
          browser_event: {
            kind: 'resource_error',
            opaque: true,
            target: {
              tag_name: target.localName,
              // Rules name the host of a resource, which most pages leave out.
              source_url: bareUrl(attempt(() => resolveUrl(address).href) ?? address),
              attributes: {
                rel: read('rel'),
                as: read('as'),
                type: read('type'),
                media: read('media'),
                cross_origin: read('crossorigin'),
                async: target.hasAttribute('async'),
                defer: target.hasAttribute('defer'),
                integrity_present: target.hasAttribute('integrity'),
              },
            },
          },
        },
      });
    }
  });
}

/** Watches for unhandled rejections. */
export function watchRejections(report: (failure: PageFailure) => void): Undo {
  return listen(globalThis, 'unhandledrejection', (event) => {
    // Libraries of promises such as Bluebird dispatch an event with the reason in `detail`.
    const { detail, reason: error = detail?.reason } = event as PromiseRejectionEvent &
      CustomEvent<{ reason?: unknown } | undefined>;
    // No function of the page is called: it may throw.
    const [name, message] = ['name', 'message'].map((key) => bareText(readText(error, key)) || undefined);
    const isOfError = isError(error);
    report({
      error,
      payload: {
        ...(isOfError ? {} : { name: name ?? 'UnhandledRejection' }),
        rejection_reason: {
          kind: isOfError
            ? 'error'
            : (/null|undefined|string|object/.exec(`${error && typeof error}`)?.[0] ?? 'unknown'),
          name,
          message,
        },
      },
    });
  });
}
