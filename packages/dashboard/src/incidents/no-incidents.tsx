import type { Project } from '@culprit/contract/workspace/projects';
import { Link } from '@tanstack/react-router';
import type { ListSearch } from '../api/list-search.ts';
import { pathTo } from '../paths.ts';
import { SampleDataButton } from '../shell/parts/sample-data.tsx';
import { Notice } from '../ui/notice.tsx';
import styles from './incidents-page.module.css';

/** The labels of filters whose parameter has no readable name. */
const PARAMETER_WORDS: Readonly<Record<string, string>> = {
  q: 'search',
  severity_min: 'minimum severity',
  sort: 'order',
};

/** Shows a notice in the place of rows: the active filters, or that nothing is failing. */
export function NoIncidents({
  search,
  project,
  onChange,
}: {
  search: ListSearch;
  project: Project | null;
  onChange: (search: ListSearch) => void;
}) {
  const filters = Object.entries(search);
  if (filters.length > 0) {
    return (
      <Notice title="No incidents match.">
        <ul className={styles.filters}>
          {filters.map(([parameter, value]) => (
            <li key={parameter}>
              <button
                type="button"
                className={styles.link}
                onClick={() => onChange(Object.fromEntries(filters.filter(([each]) => each !== parameter)))}
              >
                Clear {PARAMETER_WORDS[parameter] ?? parameter.replaceAll('_', ' ')}: {value}
              </button>
            </li>
          ))}
        </ul>
        {search.q !== undefined && search.status === undefined && (
          <button
            type="button"
            className={styles.link}
            onClick={() => onChange({ ...search, status: 'all' })}
          >
            Search resolved too
          </button>
        )}
      </Notice>
    );
  }
  if (project === null) return <Notice title="No open incidents in any project." />;
  const { retained_bundles: bundles, monthly_raw_ingested_events: events } = project.metrics;
  if (bundles + events === 0) {
    return (
      <Notice title={`${project.name} has not sent anything yet.`}>
        Incidents will appear here.{' '}
        <Link className={styles.link} to={pathTo('setup', { pid: project.project_id })}>
          Send the first event
        </Link>
        <p className={styles.sample}>
          Or explore first with the failures of a sample shop.{' '}
          <SampleDataButton projectId={project.project_id} />
        </p>
      </Notice>
    );
  }
  return <Notice title={`Nothing is failing in ${project.name}.`} />;
}
