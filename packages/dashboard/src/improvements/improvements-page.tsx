import type { Improvement } from '@culprit/contract/incidents/improvements';
import type { Project } from '@culprit/contract/workspace/projects';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { visibleLine } from '../format/event-text.ts';
import { Time } from '../format/time.tsx';
import { pathTo } from '../paths.ts';
import { Sections } from '../shell/frame/page.tsx';
import { ProjectScreen } from '../shell/frame/project-screen.tsx';
import { NextPageButton } from '../shell/parts/next-page-button.tsx';
import { PartError } from '../shell/parts/part-error.tsx';
import { ServiceFilters } from '../shell/parts/service-filters.tsx';
import { SEVERITY_WORDS, SeverityMark } from '../shell/triage/severity.tsx';
import { Button } from '../ui/button.tsx';
import { Segments } from '../ui/fields/segments.tsx';
import { FilterMenu } from '../ui/layers/filter-menu.tsx';
import { SkeletonRows } from '../ui/lists/skeleton.tsx';
import { Notice } from '../ui/notice.tsx';
import { ImprovementSettingsPart } from './improvement-settings-part.tsx';
import { KIND_WORDS, kindWords, observedWords } from './improvement-words.ts';
import styles from './improvements-page.module.css';
import { type ImprovementSearch, improvementsQuery, readImprovementSearch } from './improvements-queries.ts';

const STATUSES = [
  { value: 'open', label: 'Open' },
  { value: 'snoozed', label: 'Snoozed' },
  { value: 'resolved', label: 'Resolved' },
  { value: 'all', label: 'All' },
] as const;

/** The screen of expected problems, with their evidence. */
export function ImprovementsPage() {
  return (
    <ProjectScreen
      title="Insights"
      intro="Problems that do not cause failures yet: slow requests, noisy warnings, repeated failures."
    >
      {(project) => <Improvements project={project} />}
    </ProjectScreen>
  );
}

function Improvements({ project }: { project: Project }) {
  const pid = project.project_id;
  const search = readImprovementSearch(useSearch({ strict: false }));
  const navigate = useNavigate();
  const list = useInfiniteQuery(improvementsQuery(pid, search));
  const rows = (list.data?.pages ?? []).flatMap(({ improvements }) => improvements);
  const change = (next: ImprovementSearch) => void navigate({ to: '.', search: next, replace: true });
  const isFiltered = Object.keys(search).length > 0;
  return (
    <Sections>
      <div className={styles.part}>
        <Filters pid={pid} search={search} onChange={change} />
        {list.isPending && <SkeletonRows rows={5} />}
        {list.isError && rows.length === 0 && (
          <PartError error={list.error} retry={() => void list.refetch()} />
        )}
        {list.isSuccess && rows.length === 0 && (
          <Notice
            title={isFiltered ? 'No insights match.' : 'No insights yet.'}
            action={isFiltered ? <Button onClick={() => change({})}>Clear the filters</Button> : undefined}
          >
            {isFiltered ? undefined : 'Slow requests, noisy warnings and repeated failures appear here.'}
          </Notice>
        )}
        {rows.length > 0 && (
          <ul className={styles.rows} aria-label="Insights">
            {rows.map((improvement) => (
              <Row key={improvement.improvement_id} improvement={improvement} />
            ))}
          </ul>
        )}
        <NextPageButton list={list} kind="quiet" label="Show older ones" />
      </div>
      {/* Below a list that is read it would be moved by what comes. */}
      {!list.isPending && <ImprovementSettingsPart project={project} />}
    </Sections>
  );
}

function Filters({
  pid,
  search,
  onChange,
}: {
  pid: string;
  search: ImprovementSearch;
  onChange: (search: ImprovementSearch) => void;
}) {
  const set = (name: keyof ImprovementSearch) => (value: string | undefined) => {
    const { [name]: _before, ...rest } = search;
    onChange(value === undefined ? rest : { ...rest, [name]: value });
  };
  const status = STATUSES.find(({ value }) => value === search.status)?.value ?? 'open';
  return (
    <div className={styles.filters}>
      <Segments
        label="Status"
        choices={STATUSES}
        value={status}
        onChange={(value) => set('status')(value === 'open' ? undefined : value)}
      />
      <FilterMenu
        label="Kind"
        value={search.kind}
        values={Object.entries(KIND_WORDS)}
        onChoose={set('kind')}
      />
      <FilterMenu
        label="Severity"
        value={search.severity}
        values={Object.entries(SEVERITY_WORDS)}
        onChoose={set('severity')}
      />
      <ServiceFilters pid={pid} search={search} set={set} />
    </div>
  );
}

function Row({ improvement }: { improvement: Improvement }) {
  const { improvement_id: id, severity, title, kind, service_name: service, environment } = improvement;
  return (
    <li className={styles.row}>
      <SeverityMark severity={severity} isCompact />
      <span className={styles.words}>
        <Link className={styles.title} to={pathTo('improvement', { id })} dir="auto" translate="no">
          {visibleLine(title)}
        </Link>
        <span className={styles.facts}>
          {kindWords(kind)} · <span translate="no">{visibleLine(`${service} · ${environment}`)}</span>
          {improvement.status !== 'open' && ` · ${improvement.status}`}
        </span>
      </span>
      <span className={styles.figure}>{observedWords(improvement)}</span>
      <span className={styles.figure}>
        <Time iso={improvement.last_detected_at} />
      </span>
    </li>
  );
}
