import xIcon from 'virtual:icon/x';
import type { DebugBundle } from '@culprit/contract/bundle';
import { hintOf } from '@culprit/contract/hint';
import type { Incident } from '@culprit/contract/incidents';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { activityQuery } from '../api/activity.ts';
import { bundleQuery } from '../api/incidents.ts';
import { visibleLine } from '../format/event-text.ts';
import { plural } from '../format/numbers.ts';
import { Time } from '../format/time.tsx';
import { pathTo } from '../paths.ts';
import { SeverityMark } from '../shell/severity.tsx';
import { StateMark } from '../shell/state.tsx';
import { IconButton } from '../ui/button.tsx';
import { SkeletonRows } from '../ui/skeleton.tsx';
import { Sparkline } from '../ui/sparkline.tsx';
import styles from './peek.module.css';

const FRAMES_SHOWN = 5;
const TREND_WIDTH_PX = 432;

/** A look at an incident beside the list: cause, stack top, request, trend. */
export function Peek({ row, onClose }: { row: Incident; onClose: () => void }) {
  const { data: answer } = useQuery(bundleQuery(row.incident_id));
  const { data: activity } = useQuery(activityQuery([row.incident_id]));
  const counts = activity?.get(row.incident_id)?.counts;
  return (
    <aside className={styles.peek} aria-label="Peek">
      <div className={styles.head}>
        <SeverityMark severity={row.severity} />
        <StateMark state={row.status} />
        <span className={styles.close}>
          <IconButton
            icon={xIcon}
            label="Close the peek"
            keys="Space"
            data-tip-side="end"
            onClick={onClose}
          />
        </span>
      </div>
      <h2 className={styles.title} dir="auto" translate="no">
        <Link to={pathTo('incident', { id: row.incident_id })}>{visibleLine(row.title)}</Link>
      </h2>
      <p className={styles.soft}>
        {visibleLine(row.service_name ?? 'unknown service')} · {visibleLine(row.environment)} · first{' '}
        <Time iso={row.first_seen_at} /> · {plural(row.occurrence_count, 'occurrence')}
      </p>
      <div className={styles.trend}>
        {counts !== undefined && <Sparkline counts={counts} width={TREND_WIDTH_PX} />}
      </div>
      {answer === undefined && <SkeletonRows rows={4} height="28px" />}
      {answer !== undefined && ('bundle_version' in answer ? <Evidence bundle={answer} /> : <NoEvidence />)}
    </aside>
  );
}

function NoEvidence() {
  return <p className={styles.soft}>There is no evidence yet.</p>;
}

function Evidence({ bundle: { summary, context } }: { bundle: DebugBundle }) {
  const { error, request, response } = context;
  const hint = hintOf(summary);
  return (
    <>
      {error !== null && error.top_frames.length > 0 && (
        <>
          <h3>Stack</h3>
          <ol className={styles.frames} translate="no">
            {error.top_frames.slice(0, FRAMES_SHOWN).map((frame, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: frames stand in their order
              <li key={index}>
                <code>{visibleLine(frame)}</code>
              </li>
            ))}
          </ol>
        </>
      )}
      {request !== null && (
        <>
          <h3>Request</h3>
          <p className={styles.request} translate="no">
            <code>
              {visibleLine(request.method ?? 'GET')} {visibleLine(request.path ?? '?')}
            </code>{' '}
            {response?.status_code}
          </p>
        </>
      )}
      {hint !== null && (
        <>
          <h3>Hint</h3>
          <p>
            {visibleLine(hint.sentence)} {hint.action !== null && visibleLine(hint.action)}
          </p>
        </>
      )}
    </>
  );
}
