import { TAIL_MINUTES } from '@culprit/contract/events/recent-events';
import type { Project } from '@culprit/contract/workspace/projects';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { plural } from '../format/numbers.ts';
import { pathTo } from '../paths.ts';
import { ProjectScreen } from '../shell/frame/project-screen.tsx';
import { useShortcuts } from '../shell/palette/shortcuts.tsx';
import { LoadingPart } from '../shell/parts/loading-part.tsx';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { TailFilters } from './tail-filters.tsx';
import { TailList } from './tail-list.tsx';
import styles from './tail-page.module.css';
import { readTailSearch, type TailSearch, tailQuery } from './tail-query.ts';
import { newerThan, type Tail } from './tail-rows.ts';
import { useFollowing } from './use-following.ts';

const PAUSED = 'Paused · ';
const NO_ROWS: Tail['rows'] = [];

/** The screen of live events: the arriving events, their text, and their incidents. */
export function TailPage() {
  return (
    <ProjectScreen title="Live events" intro={`Events of the last ${TAIL_MINUTES} minutes as they arrive.`}>
      {(project) => <EventTail project={project} />}
    </ProjectScreen>
  );
}

function EventTail({ project: { project_id: pid } }: { project: Project }) {
  const search = readTailSearch(useSearch({ strict: false }));
  const navigate = useNavigate();
  const tail = useQuery(tailQuery(pid, search));
  const rows = tail.data?.rows ?? NO_ROWS;
  const list = useRef<HTMLDivElement>(null);
  const { isPaused, pause, goOn } = useFollowing(list, rows);
  // Rows that are being read stay in place: new rows are counted, and those beyond the limit are removed later.
  const held = useRef(rows);
  if (!isPaused) held.current = rows;
  const shown = held.current;
  const newer = isPaused ? newerThan(shown, rows) : 0;
  const turn = isPaused ? goOn : pause;
  useShortcuts('Live events', [{ keys: 'p', label: isPaused ? 'Continue' : 'Pause', run: turn }]);
  useEffect(() => {
    const title = document.title.replace(PAUSED, '');
    document.title = isPaused ? PAUSED + title : title;
  }, [isPaused]);
  const change = (next: TailSearch) => {
    goOn();
    void navigate({ to: '.', search: next, replace: true });
  };
  const isFiltered = Object.keys(search).length > 0;
  return (
    <div className={styles.part}>
      <div className={styles.bar}>
        <span className={styles.state} data-paused={isPaused}>
          {isPaused ? 'Paused' : 'Live, every 2 s'}
        </span>
        <TailFilters pid={pid} search={search} onChange={change} />
        <span className={styles.figure}>{plural(shown.length, 'event')}</span>
        <Button kind="quiet" keys="P" onClick={turn}>
          {isPaused ? 'Continue' : 'Pause'}
        </Button>
      </div>
      {tail.data === undefined && (
        <LoadingPart error={tail.error} retry={tail.refetch} rows={8} height="20px" />
      )}
      {tail.data !== undefined && shown.length === 0 && (
        <Notice
          title={isFiltered ? 'No matching events in the last minutes.' : 'No events in the last minutes.'}
          action={
            isFiltered ? (
              <Button onClick={() => change({})}>Clear the filters</Button>
            ) : (
              <Link to={pathTo('setup', { pid })}>Set up an application</Link>
            )
          }
        >
          New events appear here within two seconds.
        </Notice>
      )}
      <TailList ref={list} rows={shown} />
      {isPaused && (
        <div className={styles.foot}>
          <span>Paused here{newer === 0 ? '' : ` · ${newer} newer`}</span>
          <Button kind="quiet" keys="P" onClick={goOn}>
            Continue
          </Button>
        </div>
      )}
    </div>
  );
}
