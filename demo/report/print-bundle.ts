import type { DebugBundle } from '@culprit/contract/incidents/bundle';
import type { FrontendBlock } from '@culprit/contract/incidents/bundle-context';
import { blank, cut, fact } from './paper.ts';

const LOGS_MAX = 6;
const HEADERS_SHOWN = ['authorization', 'content-type', 'cookie', 'host', 'x-service-trace-id'];
const CONFIDENCE_DIGITS = 2;

/** A debug bundle for people: what happened, why, and with which evidence. */
export function printBundle(bundle: DebugBundle): void {
  const { summary, context, impact, signal } = bundle;
  fact('Incident', summary.title);
  fact('In short', summary.description);
  fact('Likely cause', summary.likely_cause);
  fact('Recommended', summary.recommended_action);
  fact('Confidence', summary.confidence.toFixed(CONFIDENCE_DIGITS));
  fact(
    'Impact',
    `${signal.occurrence_count} occurrences, ${impact.affected_users_estimate ?? 'unknown'} users, ` +
      `${impact.customer_visible ? 'seen by customers' : 'not seen by customers'}` +
      `${impact.regression_suspected ? ', a regression' : ''}`,
  );
  blank();
  fact('Top frames', ...(context.error?.top_frames ?? []));
  const frame = summary.first_application_frame;
  fact('First in-app frame', frame === null ? null : `${frame.function} (${frame.file}:${frame.line})`);
  blank();
  printExchange(bundle);
  blank();
  fact('Logs', ...logLines(bundle));
  fact('Probes', ...(context.probe_data?.items ?? []).map((item) => `${item.label} ${json(item.data)}`));
  blank();
  fact('Browser, same trace', ...(context.frontend === null ? [] : trailLines(context.frontend)));
  blank();
  const { deploy, runtime } = context;
  fact(
    'Deploy',
    deploy === null
      ? null
      : `${deploy.deploy_version} (${deploy.commit_sha?.slice(0, 7)} on ${deploy.branch}) at ${deploy.deployed_at}` +
          `${deploy.regression_window ? ', within 24 hours before the failure' : ''}`,
  );
  fact(
    'Runtime',
    runtime === null
      ? null
      : `${runtime.name} ${runtime.runtime_version} on ${runtime.platform} ${runtime.arch}, process ${runtime.pid}`,
  );
  fact('Redacted', ...bundle.redaction.fields);
}

function printExchange({ context: { request, response } }: DebugBundle): void {
  if (request === null) {
    fact('Request', null);
    return;
  }
  const headers = Object.entries(request.headers).filter(([name]) => HEADERS_SHOWN.includes(name));
  fact(
    'Request',
    `${request.method} ${request.path}`,
    ...headers.map(([name, value]) => `${name}: ${String(value)}`),
    json(request.body),
  );
  fact('Response', response === null ? null : `${response.status_code} ${json(response.body)}`);
}

function logLines({ context: { logs } }: DebugBundle): string[] {
  return (logs?.items ?? [])
    .slice(-LOGS_MAX)
    .map(
      (item) => `${clock(item.timestamp)} ${item.level} ${item.message} ${cut(json(item.attributes), 80)}`,
    );
}

/** All that the browser saw, in the order of time; in one millisecond, what people do before what follows from it. */
function trailLines(frontend: FrontendBlock): string[] {
  const steps = [
    ...frontend.clicks.map((each) => ({ ts: each.ts, text: `clicked ${each.selector}` })),
    ...frontend.form_submissions.map((each) => ({
      ts: each.ts,
      text: `submitted ${each.form} ${json(each.fields)}`,
    })),
    ...frontend.route_changes.map((each) => ({ ts: each.ts, text: `went to ${each.to}` })),
    ...frontend.network_requests.map((each) => ({
      ts: each.ts,
      text: `${each.method} ${each.url} was answered with ${each.status}`,
    })),
    ...frontend.exceptions.map((each) => ({ ts: each.ts, text: `${each.name}: ${each.message}` })),
  ];
  return steps
    .toSorted((a, b) => (a.ts ?? '').localeCompare(b.ts ?? ''))
    .map(({ ts, text }) => `${ts === null ? '' : `${clock(ts)} `}${text}`);
}

function clock(timestamp: string): string {
  return timestamp.slice(11, 23);
}

function json(value: unknown): string {
  // With blanks, so that long values can be wrapped.
  return JSON.stringify(value, null, 1).replace(/\n\s*/g, ' ');
}
