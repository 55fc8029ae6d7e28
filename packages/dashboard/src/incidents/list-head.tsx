import type { Project } from '@culprit/contract/workspace/projects';
import { lazy, useEffect, useState } from 'react';
import { type ListSearch, WITHOUT_SAMPLE } from '../api/list-search.ts';
import { count } from '../format/numbers.ts';
import { PageTitle } from '../shell/frame/page.tsx';
import { LazyPart } from '../shell/parts/lazy-part.tsx';
import styles from './incidents-page.module.css';

const HeadActions = lazy(() =>
  import('./head-actions.tsx').then((module) => ({ default: module.HeadActions })),
);

/** The rest of the setup waits until the list is drawn: nothing delays the first row. */
const SETUP_AFTER_MS = 1000;

const FIGURES: readonly {
  words: string;
  of: (metrics: Project['metrics']) => number;
  search: ListSearch;
}[] = [
  {
    words: 'open',
    of: ({ open_incidents: open, regressed_incidents: regressed }) => open + regressed,
    search: {},
  },
  { words: 'regressed', of: (metrics) => metrics.regressed_incidents, search: { status: 'regressed' } },
  {
    words: 'new today',
    of: (metrics) => metrics.opened_incidents_today,
    search: { status: 'all', first_seen: '24h' },
  },
];

/** The heading of the list, with how much there is of what. */
export function ListHead({
  projects,
  project,
  isListed,
  hasSample,
  windowTitle,
  onChange,
}: {
  /** Those whose incidents are shown; none while they are read. */
  projects: readonly Project[];
  /** The one whose list it is. */
  project: Project | undefined;
  /** The list below is there. */
  isListed: boolean;
  /** It shows incidents of sample data. */
  hasSample: boolean;
  windowTitle: string;
  onChange: (search: ListSearch) => void;
}) {
  const [isSettled, setSettled] = useState(false);
  useEffect(() => {
    if (!isListed) return;
    const timer = setTimeout(() => setSettled(true), SETUP_AFTER_MS);
    return () => clearTimeout(timer);
  }, [isListed]);
  const figures = FIGURES.map(({ words, of, search }) => ({
    words,
    search: hasSample ? { ...search, ...WITHOUT_SAMPLE } : search,
    value: projects.reduce((sum, { metrics }) => sum + of(metrics), 0),
  }));
  return (
    <PageTitle
      title="Incidents"
      windowTitle={windowTitle}
      actions={
        project !== undefined &&
        isSettled && (
          <LazyPart>
            <HeadActions project={project} hasSample={hasSample} />
          </LazyPart>
        )
      }
    >
      <p className={styles.figures}>
        {figures
          .filter(({ value }) => value > 0)
          .map(({ words, search, value }) => (
            <button key={words} type="button" onClick={() => onChange(search)}>
              {count(value)} {words}
            </button>
          ))}
      </p>
    </PageTitle>
  );
}
