import type { IncomingHttpHeaders } from 'node:http';
import type { RuleReader } from '../capture/deliverable-rules.ts';

/** The parts of a request that identify the library that sent it. */
interface LibraryMarks {
  headers: IncomingHttpHeaders;
  /** The query of `GET /v1/sdk/config`; empty elsewhere. */
  query: { service?: string; environment?: string };
}

/**
 * Returns true if the caller is recognizably a published library, which needs bare activation ids
 * (docs/contract/ingestion.md 7.2): it names itself, requests by service or environment, or is a browser in which our
 * own library does not name itself.
 */
export function isPublishedLibrary({ headers, query }: LibraryMarks): boolean {
  return (
    headers['x-debugbundle-sdk'] !== undefined ||
    query.service !== undefined ||
    query.environment !== undefined ||
    isForeignBrowser(headers)
  );
}

/**
 * Returns true if the caller is surely our own library, which matches any wildcard (docs/contract/ingestion.md 6.1).
 */
export function readsWildcards(marks: LibraryMarks): boolean {
  return ruleReaderOf(marks) === 'own';
}

/** Which rules the caller can judge. One that does not name itself may be a published library of a server language. */
export function ruleReaderOf(marks: LibraryMarks): RuleReader {
  if (isForeignBrowser(marks.headers)) return 'published_browser';
  if (isPublishedLibrary(marks)) return 'published_server';
  return marks.headers['x-service-sdk'] === undefined ? 'published_server' : 'own';
}

function isForeignBrowser(headers: IncomingHttpHeaders): boolean {
  return headers.origin !== undefined && headers['x-service-sdk'] === undefined;
}
