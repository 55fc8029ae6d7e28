import type { Occurrences } from '@culprit/contract/incidents/occurrences';
import type { Project } from '@culprit/contract/workspace/projects';
import { isSampleService } from '@culprit/contract/workspace/sample-services';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { WITHOUT_SAMPLE } from '../api/list-search.ts';
import { servicesQuery } from '../api/projects.ts';
import { count, fullCount } from '../format/numbers.ts';
import { usePresent } from '../format/time.tsx';
import { pathTo } from '../paths.ts';
import { Section } from '../ui/section.tsx';
import styles from './figures.module.css';
import { occurrencesQuery } from './overview-queries.ts';

interface Figure {
  label: string;
  value: number;
  /** The screen that accounts for it. */
  to: string;
  search?: Record<string, string>;
  note?: string;
  tone?: 'regressed';
}

const DAY_MS = 86_400_000;

/** Shows the total figures, each with a link to its details. */
export function Figures({ project }: { project: Project }) {
  const midnight = new Date(Math.floor(usePresent() / DAY_MS) * DAY_MS).toISOString();
  const { metrics, project_id: pid } = project;
  const { data: occurrences } = useQuery(occurrencesQuery(pid));
  const { data: services = [] } = useQuery(servicesQuery(pid));
  const own = services.some(({ name }) => isSampleService(name)) ? WITHOUT_SAMPLE : {};
  const incidents = pathTo('incidents', { pid });
  const figures: Figure[] = [
    { label: 'Open', value: metrics.open_incidents, to: incidents, search: { status: 'open', ...own } },
    {
      label: 'Regressed',
      value: metrics.regressed_incidents,
      to: incidents,
      search: { status: 'regressed', ...own },
      ...(metrics.regressed_incidents > 0 ? { tone: 'regressed' as const } : {}),
    },
    {
      label: 'New today (UTC)',
      value: metrics.opened_incidents_today,
      to: incidents,
      search: { status: 'all', first_seen: midnight, ...own },
    },
    ...(occurrences === undefined
      ? []
      : [{ ...weekOf(occurrences), to: incidents, search: { status: 'all', ...own } }]),
    {
      label: 'Events this month',
      value: metrics.monthly_raw_ingested_events,
      to: pathTo('intake', { pid }),
    },
  ];
  return (
    <Section id="figures" title="At a glance">
      <ul className={styles.figures} aria-label="Figures">
        {figures.map(({ label, value, to, search, note, tone }) => (
          <li key={label}>
            <Link to={to} search={search ?? {}} className={styles.figure} data-tone={tone}>
              <span className={styles.label}>{label}</span>
              <span className={styles.value} title={fullCount(value)}>
                {count(value)}
              </span>
              {note !== undefined && <span className={styles.note}>{note}</span>}
            </Link>
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** The last seven days against the seven before. */
function weekOf({ counts }: Occurrences): Pick<Figure, 'label' | 'value' | 'note'> {
  const half = Math.floor(counts.length / 2);
  const sum = (part: readonly number[]) => part.reduce((total, each) => total + each, 0);
  return {
    label: 'Errors in 7 days',
    value: sum(counts.slice(half)),
    note: `${count(sum(counts.slice(0, half)))} in the 7 days before`,
  };
}
