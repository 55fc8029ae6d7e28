import type { Project } from '@culprit/contract/projects';
import { Link } from '@tanstack/react-router';
import { count, fullCount } from '../format/numbers.ts';
import { usePresent } from '../format/time.tsx';
import { pathTo } from '../paths.ts';
import styles from './figures.module.css';

interface Figure {
  label: string;
  value: number;
  /** The screen that accounts for it. */
  to: string;
  search?: Record<string, string>;
  tone?: 'regressed';
}

/** How much there is of everything, each leading to where it is accounted for. */
export function Figures({ project }: { project: Project }) {
  const present = usePresent();
  const midnight = new Date(Math.floor(present / DAY_MS) * DAY_MS).toISOString();
  const { metrics, project_id: pid } = project;
  const incidents = pathTo('incidents', { pid });
  const figures: Figure[] = [
    { label: 'Open', value: metrics.open_incidents, to: incidents, search: { status: 'open' } },
    {
      label: 'Regressed',
      value: metrics.regressed_incidents,
      to: incidents,
      search: { status: 'regressed' },
      ...(metrics.regressed_incidents > 0 ? { tone: 'regressed' as const } : {}),
    },
    {
      label: 'New today (UTC)',
      value: metrics.opened_incidents_today,
      to: incidents,
      search: { status: 'all', first_seen: midnight },
    },
    {
      label: 'Events this month',
      value: metrics.monthly_raw_ingested_events,
      to: pathTo('intake', { pid }),
    },
    {
      label: 'Retained bundles',
      value: metrics.retained_bundles,
      to: incidents,
      search: { status: 'all' },
    },
  ];
  return (
    <ul className={styles.figures} aria-label="Figures">
      {figures.map(({ label, value, to, search, tone }) => (
        <li key={label}>
          <Link to={to} search={search ?? {}} className={styles.figure} data-tone={tone}>
            <span className={styles.label}>{label}</span>
            <span className={styles.value} title={fullCount(value)}>
              {count(value)}
            </span>
          </Link>
        </li>
      ))}
    </ul>
  );
}

const DAY_MS = 86_400_000;
