import type { DebugBundle } from '@culprit/contract/bundle';
import { visibleLine, visibleText } from '../format/event-text.ts';
import { duration } from '../format/numbers.ts';
import { JsonView } from '../ui/json-view.tsx';
import { Section } from '../ui/section.tsx';
import styles from './exchange.module.css';

/** What was asked and what was answered; what was removed or cut is marked, not hidden. */
export function Exchange({ bundle }: { bundle: DebugBundle }) {
  const { request, response, resource_failure: resource } = bundle.context;
  if (request === null && response === null && resource === undefined) return null;
  return (
    <Section id="request" title={response === null ? 'Request' : 'Request and response'}>
      {request !== null && (
        <div className={styles.part}>
          <p className={styles.line} translate="no">
            <strong>{visibleLine(request.method ?? 'GET')}</strong> {visibleLine(request.path ?? '?')}
            {request.route_template !== null && request.route_template !== request.path && (
              <span className={styles.soft}>{visibleLine(request.route_template)}</span>
            )}
          </p>
          <Block title="Query" value={request.query} />
          <Block title="Headers" value={request.headers} />
          <Block title="Body" value={request.body} />
        </div>
      )}
      {response !== null && (
        <div className={styles.part}>
          <p className={styles.line}>
            <strong>{response.status_code ?? '–'}</strong>
            {response.duration_ms !== null && (
              <span className={styles.soft}>{duration(response.duration_ms)}</span>
            )}
          </p>
          <Block title="Headers" value={response.headers} />
          <Block title="Body" value={response.body} />
        </div>
      )}
      {resource !== undefined && <Block title="Resource" value={resource} />}
    </Section>
  );
}

function Block({ title, value }: { title: string; value: unknown }) {
  if (value === null || value === undefined || value === '') return null;
  if (typeof value === 'object' && Object.keys(value).length === 0) return null;
  return (
    <div className={styles.block}>
      <h3>{title}</h3>
      <JsonView value={value} show={visibleText} />
    </div>
  );
}
