import type { DebugBundle } from '@culprit/contract/incidents/bundle';
import { visibleLine, visibleText } from '../../format/event-text.ts';
import { duration } from '../../format/numbers.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { FoldedSection } from '../../ui/folded-section.tsx';
import { JsonView } from '../../ui/json-view.tsx';
import styles from './exchange.module.css';

interface Side {
  query?: unknown;
  headers?: unknown;
  body?: unknown;
}

/** A request and what was answered, of a bundle or of one event. */
interface ShownExchange {
  request: (Side & { line: string; route: string | null }) | null;
  response: (Side & { status: number | null; durationMs: number | null }) | null;
  resource: unknown;
}

export function exchangeOfBundle({ context }: DebugBundle): ShownExchange {
  const { request, response, resource_failure: resource } = context;
  return {
    request: request && {
      ...request,
      line: `${request.method ?? 'GET'} ${request.path ?? '?'}`,
      route: request.route_template === request.path ? null : request.route_template,
    },
    response: response && { ...response, status: response.status_code, durationMs: response.duration_ms },
    resource,
  };
}

type Open = Readonly<Record<string, unknown>>;

export function exchangeOfEvent(payload: Open, context: Open): ShownExchange {
  const request = openOf(
    payload.request ?? context.request ?? (payload.method === undefined ? null : payload),
  );
  const response = openOf(payload.response ?? context.response);
  const status = numberOf(response?.status_code) ?? numberOf(payload.status_code);
  const path = textOf(request?.path) ?? textOf(request?.url);
  return {
    request:
      request === null || path === null
        ? null
        : {
            query: request.query,
            headers: request.headers,
            body: request.body,
            line: `${textOf(request.method) ?? 'GET'} ${path}`,
            route: textOf(request.route_template),
          },
    response:
      response === null && status === null
        ? null
        : {
            headers: response?.headers,
            body: response?.body,
            status,
            durationMs: numberOf(response?.duration_ms) ?? numberOf(payload.duration_ms),
          },
    resource: undefined,
  };
}

/** Shows request and response side by side; what was removed or cut is marked, not hidden. */
export function Exchange({ exchange: { request, response, resource } }: { exchange: ShownExchange }) {
  if (request === null && response === null && resource === undefined) return null;
  return (
    <FoldedSection
      id="request"
      title={response === null ? 'Request' : 'Request and response'}
      summary={
        <span translate="no">
          {[
            request?.line,
            response?.status,
            response?.durationMs == null ? null : duration(response.durationMs),
          ]
            .filter((part) => part !== null && part !== undefined)
            .map((part) => visibleLine(String(part)))
            .join(' · ')}
        </span>
      }
    >
      <div className={styles.sides}>
        {request !== null && (
          <div className={styles.part}>
            <p className={styles.line} translate="no">
              <strong>{visibleLine(request.line)}</strong>
              {request.route !== null && <span className={styles.soft}>{visibleLine(request.route)}</span>}
            </p>
            <Blocks side={request} of="request" />
          </div>
        )}
        {response !== null && (
          <div className={styles.part}>
            <p className={styles.line}>
              <strong>{response.status ?? '–'}</strong>
              {response.durationMs !== null && (
                <span className={styles.soft}>{duration(response.durationMs)}</span>
              )}
            </p>
            <Blocks side={response} of="response" />
          </div>
        )}
        {resource !== undefined && <Block title="Resource" name="resource" value={resource} />}
      </div>
    </FoldedSection>
  );
}

function Blocks({ side: { query, headers, body }, of }: { side: Side; of: string }) {
  return (
    <>
      <Block title="Body" name={`${of} body`} value={body} />
      <Block title="Query" name={`${of} query`} value={query} />
      <Block title="Headers" name={`${of} headers`} value={headers} />
    </>
  );
}

function Block({ title, name, value }: { title: string; name: string; value: unknown }) {
  if (value === null || value === undefined || value === '') return null;
  if (typeof value === 'object' && Object.keys(value).length === 0) return null;
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  return (
    <div className={styles.block}>
      <div className={styles.head}>
        <h3>{title}</h3>
        <CopyButton isIcon text={text} label={`Copy ${name}`} />
      </div>
      <JsonView value={value} show={visibleText} levels={2} />
    </div>
  );
}

function openOf(value: unknown): Open | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}
