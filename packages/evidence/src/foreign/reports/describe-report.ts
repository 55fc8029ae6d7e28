import type { JsonObject } from '../../events/envelope/json.ts';
import { bareAddress, hostOrWord, isNoise, numberIn, pathOf, textIn } from './report-parts.ts';

/** A report of a browser in either form (docs/contract/foreign-protocols.md 9.1). */
export interface BrowserReport {
  type: string;
  /** Milliseconds between the report and its sending. */
  ageMs: number;
  /** The raw address of the page. */
  url: string | null;
  userAgent: string | null;
  body: JsonObject;
}

/** The content of a report, or the reason why it is not accepted. */
type ReportDescription =
  | { isTaken: false; kind: string }
  | {
      isTaken: true;
      kind: string;
      level: 'error' | 'warning' | 'info';
      message: string;
      attributes: Record<string, string | number | null>;
    };

const NOT_TAKEN = { isTaken: false } as const;

/** Describes a report of a type (docs/contract/foreign-protocols.md 9.2). */
type Describe = (
  report: BrowserReport,
) => Omit<Extract<ReportDescription, { isTaken: true }>, 'isTaken' | 'kind'> | null;

const TYPES: Readonly<Record<string, Describe>> = {
  'csp-violation': describeCsp,
  'network-error': describeNetworkError,
  crash: ({ body }) => ({
    level: 'error',
    message: `Page crashed: ${textIn(body, 'reason') ?? 'unknown'}`,
    attributes: { visibility: textIn(body, 'visibility_state'), stack: textIn(body, 'stack') },
  }),
  intervention: (report) => describeById(report, 'warning'),
  deprecation: (report) => describeById(report, 'info'),
  'permissions-policy-violation': describePolicy,
  'potential-permissions-policy-violation': describePolicy,
  'document-policy-violation': describePolicy,
  'integrity-violation': describePolicy,
  coep: describePolicy,
  coop: describePolicy,
};

/** The former names of these types in browsers. */
const OLD_NAMES: Readonly<Record<string, string>> = {
  csp: 'csp-violation',
  'feature-policy-violation': 'permissions-policy-violation',
};

/** The word for a type in counts: a sender writes any text there. */
function reportKind(type: string): string {
  if (Object.hasOwn(OLD_NAMES, type)) return OLD_NAMES[type] ?? 'unknown';
  return Object.hasOwn(TYPES, type) ? type : 'unknown';
}

export function describeReport(report: BrowserReport): ReportDescription {
  const kind = reportKind(report.type);
  const describe = TYPES[kind];
  const described = describe === undefined || isOfExtension(report.body) ? null : describe(report);
  return described === null ? { ...NOT_TAKEN, kind } : { isTaken: true, kind, ...described };
}

function isOfExtension(body: JsonObject): boolean {
  return (
    isNoise(textIn(body, 'blocked-uri', 'blockedURL', 'blocked_uri')) ||
    isNoise(textIn(body, 'source-file', 'sourceFile', 'source_file'))
  );
}

function describeCsp({ body }: BrowserReport): ReturnType<Describe> {
  const named = textIn(
    body,
    'effective-directive',
    'effectiveDirective',
    'effective_directive',
    'violated-directive',
    'violatedDirective',
    'violated_directive',
    'directive',
  );
  // Older browsers write the directive with its sources.
  const directive = named?.split(/\s/, 1)[0] ?? null;
  if (directive === null) return null;
  const blocked = textIn(body, 'blocked-uri', 'blockedURL', 'blocked_uri', 'blocked');
  return {
    level: textIn(body, 'disposition') === 'report' ? 'info' : 'warning',
    message: `CSP blocked ${directive}: ${hostOrWord(blocked) ?? 'unknown'}`,
    attributes: { directive, blocked: bareAddress(blocked), ...placeIn(body), ...restOfCsp(body) },
  };
}

function restOfCsp(body: JsonObject): Record<string, string | number | null> {
  return {
    disposition: textIn(body, 'disposition'),
    status: numberIn(body, 'status-code', 'statusCode', 'status_code'),
    referrer: bareAddress(textIn(body, 'referrer')),
  };
}

function describeNetworkError({ body, url }: BrowserReport): ReturnType<Describe> {
  const type = textIn(body, 'type') ?? 'unknown';
  if (type === 'ok') return null;
  return {
    level: 'warning',
    message: `Network error ${textIn(body, 'phase') ?? 'unknown'} ${type}: ${hostOrWord(url) ?? 'unknown'}`,
    attributes: {
      method: textIn(body, 'method'),
      // The path of the requested resource, which is the address of this report.
      path: pathOf(url),
      status: numberIn(body, 'status_code'),
      elapsed_ms: numberIn(body, 'elapsed_time'),
      protocol: textIn(body, 'protocol'),
      referrer: bareAddress(textIn(body, 'referrer')),
    },
  };
}

function describeById({ type, body }: BrowserReport, level: 'warning' | 'info'): ReturnType<Describe> {
  const id = textIn(body, 'id');
  if (id === null) return null;
  return {
    level,
    message: `${type}: ${id}`,
    attributes: { description: textIn(body, 'message'), ...placeIn(body) },
  };
}

function describePolicy({ type: sentType, body }: BrowserReport): ReturnType<Describe> {
  const type = reportKind(sentType);
  const blocked = textIn(body, 'blockedURL', 'blocked-url');
  const subject =
    textIn(body, 'policyId', 'featureId', 'feature') ??
    hostOrWord(blocked) ??
    textIn(body, 'type', 'effectivePolicy');
  return {
    level: 'warning',
    message: `${type}: ${subject ?? 'unknown'}`,
    attributes: {
      blocked: bareAddress(blocked),
      destination: textIn(body, 'destination'),
      disposition: textIn(body, 'disposition'),
      ...placeIn(body),
    },
  };
}

/** Returns the place in a script. */
function placeIn(body: JsonObject): Record<string, string | number | null> {
  return {
    source: bareAddress(textIn(body, 'source-file', 'sourceFile', 'source_file')),
    line: numberIn(body, 'line-number', 'lineNumber', 'line_number'),
    column: numberIn(body, 'column-number', 'columnNumber', 'column_number'),
  };
}
