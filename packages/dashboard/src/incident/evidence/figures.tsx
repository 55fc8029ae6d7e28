import type { DebugBundle } from '@culprit/contract/incidents/bundle';
import type { Incident } from '@culprit/contract/incidents/incidents';
import type { ReactNode } from 'react';
import { visibleLine } from '../../format/event-text.ts';
import { count, roughly } from '../../format/numbers.ts';
import { Time } from '../../format/time.tsx';
import { ReleaseLink, WithFacts } from '../../shell/parts/fact-links.tsx';
import { Trend } from '../header/trend.tsx';
import styles from './figures.module.css';

/** Shows the number of occurrences, the affected users, the first and the last occurrence, with the trend below. */
export function Figures({ incident, bundle }: { incident: Incident; bundle: DebugBundle | null }) {
  const users = bundle?.impact.affected_users_estimate ?? null;
  const items = bundle?.context.occurrences?.items ?? [];
  const first = items.find(({ roles }) => roles.includes('first'))?.deploy_version ?? null;
  const last =
    items.find(({ roles }) => roles.includes('latest'))?.deploy_version ??
    bundle?.context.deploy?.deploy_version ??
    null;
  return (
    <div className={styles.panel}>
      <dl className={styles.figures}>
        <Figure name="Events" value={count(incident.occurrence_count)} />
        <Figure
          name="Users"
          value={count(users)}
          note={bundle?.impact.customer_visible === true ? ['seen by customers', null] : undefined}
        />
        <Figure
          name="First seen"
          value={<Time iso={incident.first_seen_at} />}
          note={firstNote(incident, bundle, first)}
          pid={incident.project_id}
        />
        <Figure
          name="Last seen"
          value={<Time iso={incident.last_seen_at} />}
          note={last === null ? undefined : [last, last]}
          pid={incident.project_id}
        />
      </dl>
      <Trend incident={incident} />
    </div>
  );
}

/** A line below a figure, and the version in it. */
type Note = readonly [text: string, version: string | null];

function Figure({
  name,
  value,
  note,
  pid = '',
}: {
  name: string;
  value: ReactNode;
  note?: Note | undefined;
  pid?: string;
}) {
  const [text, version] = note ?? ['\u00a0', null];
  return (
    <div className={styles.figure}>
      <dt>{name}</dt>
      <dd>
        <span className={styles.value}>{value}</span>
        {/* A line in any case, so that nothing moves when the evidence comes. */}
        <span className={styles.note} title={note === undefined ? undefined : visibleLine(text)}>
          <WithFacts
            text={text}
            facts={
              version === null ? [] : [[version, <ReleaseLink key={version} pid={pid} version={version} />]]
            }
          />
        </span>
      </dd>
    </div>
  );
}

/** The release of the first event, and how long after its deploy that was. */
function firstNote(incident: Incident, bundle: DebugBundle | null, release: string | null): Note | undefined {
  const deploy = bundle?.context.deploy ?? null;
  const version = deploy?.deploy_version ?? null;
  const name = version ?? deploy?.commit_sha?.slice(0, 7) ?? null;
  if (deploy !== null && name !== null) {
    const afterMs = Date.parse(incident.first_seen_at) - Date.parse(deploy.deployed_at);
    if (afterMs >= 0) return [`${roughly(afterMs)} after ${name}`, version];
  }
  return release === null ? undefined : [release, release];
}
