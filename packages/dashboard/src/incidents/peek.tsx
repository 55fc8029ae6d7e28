import xIcon from 'virtual:icon/x';
import type { DebugBundle } from '@culprit/contract/incidents/bundle';
import type { Incident } from '@culprit/contract/incidents/incidents';
import { hintOf } from '@culprit/contract/schemas/hint';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { activityQuery } from '../api/activity.ts';
import { bundleQuery } from '../api/incidents.ts';
import type { Target } from '../api/status-changes.ts';
import { shortPath, visibleLine } from '../format/event-text.ts';
import { titleParts } from '../format/incident-words.ts';
import { count } from '../format/numbers.ts';
import { Time } from '../format/time.tsx';
import { pathTo } from '../paths.ts';
import { ServiceName } from '../shell/parts/service-name.tsx';
import { PriorityMark } from '../shell/triage/severity.tsx';
import { StateMark } from '../shell/triage/state.tsx';
import { Button, IconButton } from '../ui/button.tsx';
import { SkeletonRows } from '../ui/lists/skeleton.tsx';
import { Sparkline } from '../ui/plots/sparkline.tsx';
import styles from './peek.module.css';

const FRAMES_SHOWN = 5;
const TREND_WIDTH_PX = 512;

/** An incident next to the list: its actions, who is hit, the top of its stack, its request. */
export function Peek({
  row,
  onChange,
  onClose,
}: {
  row: Incident;
  onChange: (to: Target) => void;
  onClose: () => void;
}) {
  const { data: answer } = useQuery(bundleQuery(row.incident_id));
  const { data: activity } = useQuery(activityQuery([row.incident_id]));
  const own = activity?.get(row.incident_id);
  const bundle = answer !== undefined && 'bundle_version' in answer ? answer : null;
  const { name, rest } = titleParts(row.title);
  return (
    <aside className={styles.peek} aria-label="Preview">
      <div className={styles.head}>
        <Link className={styles.open} to={pathTo('incident', { id: row.incident_id })}>
          Open incident
        </Link>
        {row.status === 'resolved' ? (
          <Button onClick={() => onChange('open')}>Reopen</Button>
        ) : (
          <Button keys="E" onClick={() => onChange('resolved')}>
            Resolve
          </Button>
        )}
        <span className={styles.close}>
          <IconButton
            icon={xIcon}
            label="Close the preview"
            keys="Space"
            data-tip-side="end"
            onClick={onClose}
          />
        </span>
      </div>
      <h2 className={styles.title} dir="auto" translate="no">
        {name !== '' && <strong>{visibleLine(name)}: </strong>}
        {visibleLine(rest)}
      </h2>
      <p className={styles.marks}>
        <PriorityMark priority={row.triage.priority} />
        <StateMark state={row.status} />
        <span translate="no">
          <ServiceName name={row.service_name ?? 'unknown service'} /> · {visibleLine(row.environment)}
        </span>
      </p>
      <dl className={styles.figures}>
        <Figure label="Events">{count(row.occurrence_count)}</Figure>
        <Figure label="Users">{count(own?.affected_users)}</Figure>
        <Figure label="First seen">
          <Time iso={row.first_seen_at} />
        </Figure>
        <Figure label="Last seen">
          <Time iso={row.last_seen_at} />
        </Figure>
      </dl>
      <div className={styles.trend}>
        {own !== undefined && <Sparkline counts={own.counts} width={TREND_WIDTH_PX} />}
      </div>
      {answer === undefined && <SkeletonRows rows={4} height="28px" />}
      {answer !== undefined &&
        (bundle === null ? (
          <p className={styles.soft}>The evidence is not ready yet.</p>
        ) : (
          <Evidence pid={row.project_id} bundle={bundle} />
        ))}
    </aside>
  );
}

function Figure({ label, children }: { label: string; children: React.ReactNode }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Evidence({ pid, bundle: { summary, context } }: { pid: string; bundle: DebugBundle }) {
  const { deploy, request, response } = context;
  const hint = hintOf(summary);
  return (
    <>
      <Frames context={context} />
      {request !== null && (
        <section>
          <h3>Request</h3>
          <p className={styles.request} translate="no">
            <code>
              {visibleLine(request.method ?? 'GET')} {visibleLine(request.path ?? '?')}
            </code>{' '}
            {response?.status_code}
          </p>
        </section>
      )}
      {deploy !== null && (
        <section>
          <h3>Release</h3>
          <p translate="no">
            {deploy.deploy_version === null ? (
              visibleLine(deploy.commit_sha ?? '?')
            ) : (
              <Link
                className={styles.fact}
                to={pathTo('releases', { pid })}
                search={{ version: deploy.deploy_version }}
              >
                {visibleLine(deploy.deploy_version)}
              </Link>
            )}
            <span className={styles.soft}>
              {' '}
              deployed <Time iso={deploy.deployed_at} />
            </span>
          </p>
        </section>
      )}
      {hint !== null && (
        <section>
          <h3>Hint</h3>
          <p>
            {visibleLine(hint.sentence)} {hint.action !== null && visibleLine(hint.action)}
          </p>
        </section>
      )}
    </>
  );
}

/** The first frames of the application itself, or what the error names where no stack was read. */
function Frames({ context: { stack, error } }: Pick<DebugBundle, 'context'>) {
  const own = stack?.frames.filter(({ in_app: isOwn }) => isOwn).slice(0, FRAMES_SHOWN) ?? [];
  const texts = error?.top_frames.slice(0, FRAMES_SHOWN) ?? [];
  if (own.length === 0 && texts.length === 0) return null;
  return (
    <section>
      <h3>Stack</h3>
      <ol className={styles.frames} translate="no">
        {own.length > 0
          ? own.map(({ function: name, file, line }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: frames are in their order
              <li key={index}>
                <code className={styles.function}>{visibleLine(name)}</code>{' '}
                <code className={styles.file} title={visibleLine(file ?? '')}>
                  {visibleLine(shortPath(file ?? ''))}
                  {line === null ? '' : `:${line}`}
                </code>
              </li>
            ))
          : texts.map((text, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: frames are in their order
              <li key={index}>
                <code>{visibleLine(text)}</code>
              </li>
            ))}
      </ol>
    </section>
  );
}
