import type { ProbeResult } from '@culprit/contract/events/recent-events';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { visibleLine, visibleText } from '../format/event-text.ts';
import { Time } from '../format/time.tsx';
import { pathTo } from '../paths.ts';
import link from '../shell/parts/link.module.css';
import { LoadingPart } from '../shell/parts/loading-part.tsx';
import { NextPageButton } from '../shell/parts/next-page-button.tsx';
import { JsonView } from '../ui/json-view.tsx';
import styles from './probes.module.css';
import { probeResultsQuery } from './probes-query.ts';

/** Shows the results of probes, newest first; new ones arrive above. */
export function ProbeResults({ projectId, isActive }: { projectId: string; isActive: boolean }) {
  const list = useInfiniteQuery(probeResultsQuery(projectId, isActive));
  const { data, error, refetch, hasNextPage } = list;
  const results = data?.pages.flatMap((page) => page.results) ?? [];
  return (
    <section className={styles.section} aria-labelledby="results">
      <h2 id="results">Results of the last 7 days</h2>
      {data === undefined && <LoadingPart error={error} retry={refetch} rows={3} />}
      {data !== undefined && results.length === 0 && !hasNextPage && (
        <p className={styles.soft}>
          {isActive ? 'No results yet. They appear here as they arrive.' : 'No results yet.'}
        </p>
      )}
      {results.length > 0 && (
        <ul className={styles.results} aria-label="Probe results" aria-live="polite">
          {results.map((result) => (
            <Result key={`${result.event_id} ${result.label} ${result.occurred_at}`} result={result} />
          ))}
        </ul>
      )}
      <NextPageButton list={list} />
    </section>
  );
}

function Result({ result }: { result: ProbeResult }) {
  const { label, data, occurred_at: at, service, environment, incident_id: incidentId } = result;
  return (
    <li className={styles.result}>
      <div className={styles.head}>
        <code dir="auto" translate="no">
          {visibleLine(label)}
        </code>
        <span className={styles.soft} translate="no">
          {visibleLine(`${service} (${environment})`)}
        </span>
        {incidentId !== null && (
          <Link className={link.link} to={pathTo('incident', { id: incidentId })}>
            its incident
          </Link>
        )}
        <span className={styles.when}>
          <Time iso={at} />
        </span>
      </div>
      <JsonView value={data} show={visibleText} />
    </li>
  );
}
