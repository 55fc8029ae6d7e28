import type { Regrouping } from '@culprit/contract/incidents/regroupings';
import type { Project } from '@culprit/contract/workspace/projects';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { visibleLine } from '../format/event-text.ts';
import { duration, plural } from '../format/numbers.ts';
import { Time } from '../format/time.tsx';
import { ConfirmedAction } from '../shell/parts/confirmed-action.tsx';
import { LoadingPart } from '../shell/parts/loading-part.tsx';
import { refusalFor } from '../shell/parts/roles.ts';
import { Button } from '../ui/button.tsx';
import { RecordLine, RecordList } from '../ui/lists/record-list.tsx';
import { Notice } from '../ui/notice.tsx';
import styles from './grouping.module.css';
import { readAgain, regroupingsQuery, takeBack } from './grouping-queries.ts';
import { changeOf } from './stack-rules.ts';

const HOUR_MS = 3_600_000;

/** Shows the changes of grouping that were applied; the newest can be undone. */
export function Regroupings({ project }: { project: Project }) {
  const { data, error, refetch } = useQuery(regroupingsQuery(project.project_id));
  const [undoing, setUndoing] = useState<Regrouping | null>(null);
  if (data === undefined) return <LoadingPart error={error} retry={refetch} rows={2} />;
  if (data.length === 0) return <Notice title="No changes yet." />;
  const newest = data.find(({ undone_at: at }) => at === null);
  return (
    <>
      <RecordList label="Applied changes">
        {data.map((each) => (
          <RecordLine
            key={each.regrouping_id}
            title={<RuleChange regrouping={each} />}
            facts={<Facts regrouping={each} />}
            isDim={each.undone_at !== null}
            controls={
              each.undone_at === null && (
                <Button
                  kind="quiet"
                  refusal={
                    refusalFor('admin', project) ?? (each === newest ? null : 'Undo the newer change first')
                  }
                  onClick={() => setUndoing(each)}
                >
                  Undo
                </Button>
              )
            }
          />
        ))}
      </RecordList>
      <UndoDialog project={project} regrouping={undoing} onClose={() => setUndoing(null)} />
    </>
  );
}

function RuleChange({ regrouping }: { regrouping: Regrouping }) {
  const lines = changeOf(regrouping.stack_rules_before, regrouping.stack_rules);
  if (lines.length === 0) return <>The same rules</>;
  return (
    <ul className={styles.rules} translate="no">
      {lines.map((line) => (
        <li key={line}>
          <code>{visibleLine(line)}</code>
        </li>
      ))}
    </ul>
  );
}

function Facts({ regrouping }: { regrouping: Regrouping }) {
  const { merged_incidents: merged, split_incidents: split, undone_at: undone } = regrouping;
  return (
    <>
      <Time iso={regrouping.created_at} /> · {plural(merged, 'incident')} merged
      {split > 0 && ` · ${split}split`} · {plural(regrouping.events_seen, 'event')} of{' '}
      {duration(regrouping.hours * HOUR_MS)}
      {!regrouping.is_complete && ', the newest'}
      {undone !== null && (
        <>
          {' '}
          · undone <Time iso={undone} />
        </>
      )}
    </>
  );
}

function UndoDialog({
  project,
  regrouping,
  onClose,
}: {
  project: Project;
  regrouping: Regrouping | null;
  onClose: () => void;
}) {
  return (
    <ConfirmedAction
      item={regrouping}
      title="Undo this change?"
      verb="Undo the change"
      run={({ regrouping_id: id }) => takeBack(project.project_id, id)}
      done="Undone"
      onDone={() => readAgain(project.project_id)}
      onClose={onClose}
    >
      <p>
        {plural(regrouping?.merged_incidents ?? 0, 'incident')} return with their own counts. The rules are
        restored unless they have changed since.
      </p>
    </ConfirmedAction>
  );
}
