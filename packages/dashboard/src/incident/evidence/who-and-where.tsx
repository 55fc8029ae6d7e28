import type { IncidentTag, TagValue } from '@culprit/contract/incidents/incident-tags';
import type { Incident } from '@culprit/contract/incidents/incidents';
import { writtenValue } from '@culprit/contract/schemas/written-value';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { visibleLine } from '../../format/event-text.ts';
import { count, percent } from '../../format/numbers.ts';
import { pathTo, withSearch } from '../../paths.ts';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/section.tsx';
import styles from './who-and-where.module.css';

const SHOWN = 6;
const VALUES_SHOWN = 3;
/** Kinds of events: the header says them. */
const SAID_ABOVE: ReadonlySet<string> = new Set(['trust', 'level', 'handled', 'environment', '…other']);
/** From which multiple on a value is far from usual. */
const LIFT_SHOWN = 1.5;

/** Shows the affected users and environments: the tags of its events, each value with its share. */
export function WhoAndWhere({ incident, tags }: { incident: Incident; tags: readonly IncidentTag[] }) {
  const [isWhole, setWhole] = useState(false);
  const telling = tags.filter(({ key }) => !SAID_ABOVE.has(key));
  if (telling.length === 0) return null;
  const shown = isWhole ? telling : telling.slice(0, SHOWN);
  return (
    <Section id="who" title="Who and where">
      <div className={styles.tags}>
        {shown.map((tag) => (
          <Tag key={tag.key} tag={tag} incident={incident} isWhole={isWhole} />
        ))}
      </div>
      {telling.length > SHOWN && (
        <Button kind="quiet" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'Show fewer' : `Show all ${telling.length} tags`}
        </Button>
      )}
    </Section>
  );
}

function Tag({ tag, incident, isWhole }: { tag: IncidentTag; incident: Incident; isWhole: boolean }) {
  const values = tag.top.slice(0, isWhole ? tag.top.length : VALUES_SHOWN);
  const rest = tag.distinct - values.length;
  return (
    <dl className={styles.tag}>
      <dt translate="no">{visibleLine(tag.key)}</dt>
      {values.map((value) => (
        <Value
          key={value.value}
          name={tag.key}
          value={value}
          incident={incident}
          isSampled={tag.is_sampled}
        />
      ))}
      {rest > 0 && <dd className={styles.rest}>{count(rest)} more</dd>}
    </dl>
  );
}

function Value({
  name,
  value: { value, count: events, share, lift },
  incident,
  isSampled,
}: {
  name: string;
  value: TagValue;
  incident: Incident;
  isSampled: boolean;
}) {
  const query = `tag.${name}:${writtenValue(value)}`;
  const list = withSearch(pathTo('incidents', { pid: incident.project_id }), { q: query });
  const usual = lift !== null && lift >= LIFT_SHOWN ? `${lift.toFixed(1)} times as often as usual` : null;
  const title = `${isSampled ? 'About ' : ''}${count(events)} events${usual === null ? '' : `, ${usual}`}`;
  return (
    <dd className={styles.value}>
      <Link to={list} title={title} translate="no" dir="auto">
        {visibleLine(value)}
      </Link>
      <span className={styles.share}>{percent(share)}</span>
      <meter className={styles.bar} min={0} max={1} value={share} aria-hidden="true" />
      {usual !== null && <span className={styles.usual}>{usual}</span>}
    </dd>
  );
}
