import { isJsonObject, type JsonObject, type JsonValue } from '../../events/envelope/json.ts';
import { objectOrEmpty } from '../../events/envelope/read-json.ts';
import { type BrowserReport, describeReport } from './describe-report.ts';
import { bareAddress, originOf, pathOf, textIn } from './report-parts.ts';

/** The input of the mapping besides the body. */
export interface ReportSource {
  serviceName: string;
  environment: string | null;
  release: string | null;
  /** The user agent of the request. */
  userAgent: string | null;
  receivedAtMs: number;
}

/** Reports of one request. */
const REPORTS_MAX = 100;

/** Equal reports of a request, and what they become. */
interface MappedReport {
  kind: string;
  /** Equal for reports that are one event within a minute. */
  key: string;
  count: number;
  /** The event for so many reports. */
  event: (count: number) => JsonObject;
}

interface MappedReports {
  reports: MappedReport[];
  /** By their kind. */
  notTaken: Map<string, number>;
  overLimit: number;
  /** The origin of the first report's page, for a request that names no origin. */
  origin: string | null;
}

/** Null for JSON that is neither form. */
export function readReports(json: unknown): BrowserReport[] | null {
  if (Array.isArray(json)) {
    const list: readonly JsonValue[] = json;
    return list.flatMap((each) => (isJsonObject(each) ? [reportOf(each)] : []));
  }
  if (!isJsonObject(json)) return null;
  const { 'csp-report': policy } = json;
  if (isJsonObject(policy)) {
    const url = textIn(policy, 'document-uri', 'documentURL', 'document_uri');
    return [{ type: 'csp-violation', ageMs: 0, url, userAgent: null, body: policy }];
  }
  if (typeof json.type === 'string' && isJsonObject(json.body)) return [reportOf(json)];
  return OLD_FORMS.some((member) => json[member] !== undefined) ? [reportOf({})] : null;
}

/** The forms of reports about certificates and pins, which are not accepted. */
const OLD_FORMS = ['expect-ct-report', 'expect-staple-report', 'known-pins', 'served-certificate-chain'];

function reportOf(sent: JsonObject): BrowserReport {
  const { type, age } = sent;
  const body = objectOrEmpty(sent.body);
  return {
    type: typeof type === 'string' ? type : '',
    ageMs: typeof age === 'number' && age > 0 && age < AGE_MS_MAX ? age : 0,
    url: textIn(sent, 'url') ?? textIn(body, 'documentURL'),
    userAgent: textIn(sent, 'user_agent'),
    body,
  };
}

/** A report that waited longer was kept by a clock that does not count. */
const AGE_MS_MAX = 30 * 24 * 3_600_000;

/** The events of the reports of a request (docs/contract/foreign-protocols.md 9.2). Never throws. */
export function mapReports(sent: readonly BrowserReport[], source: ReportSource): MappedReports {
  const mapped = new Map<string, MappedReport>();
  const notTaken = new Map<string, number>();
  const looked = sent.slice(0, REPORTS_MAX);
  for (const report of looked) {
    const described = describeReport(report);
    const { kind } = described;
    if (!described.isTaken) {
      notTaken.set(kind, (notTaken.get(kind) ?? 0) + 1);
      continue;
    }
    const { level, message, attributes } = described;
    const route = pathOf(report.url);
    const key = [source.environment, source.release, level, message, route].join('\n');
    const known = mapped.get(key);
    if (known !== undefined) {
      known.count += 1;
      continue;
    }
    mapped.set(key, {
      kind,
      key,
      count: 1,
      event: (count) =>
        eventOf(report, source, {
          message,
          level,
          captured: true,
          attributes: withoutNulls({ kind, route, page: bareAddress(report.url), ...attributes, count }),
        }),
    });
  }
  return {
    reports: [...mapped.values()],
    notTaken,
    overLimit: sent.length - looked.length,
    origin: originOf(looked.find(({ url }) => url !== null)?.url ?? null),
  };
}

function eventOf(report: BrowserReport, source: ReportSource, payload: JsonObject): JsonObject {
  const userAgent = report.userAgent ?? source.userAgent;
  return {
    schema_version: 'report-1',
    event_type: 'log_event',
    occurred_at: new Date(source.receivedAtMs - report.ageMs).toISOString(),
    sdk_name: 'browser-report',
    sdk_version: '1',
    sdk_language: 'javascript',
    service: {
      name: source.serviceName,
      environment: source.environment ?? 'production',
      runtime: 'browser',
    },
    context: withoutNulls({ release: source.release }),
    payload: userAgent === null ? payload : { ...payload, device: { user_agent: userAgent } },
  };
}

function withoutNulls(values: Record<string, JsonValue>): JsonObject {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
}
