import type { DebugBundle } from '@culprit/contract/incidents/bundle';
import type { Incident } from '@culprit/contract/incidents/incidents';
import { type PeculiarTag, peculiarTags } from '@culprit/contract/incidents/peculiar-tags';
import { hintOf } from '@culprit/contract/schemas/hint';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useFeature } from '../../api/server.ts';
import { tagsQuery } from '../../api/tags.ts';
import { visibleLine } from '../../format/event-text.ts';
import { usePresent } from '../../format/time.tsx';
import { PersonLink, ReleaseLink, TagLink, WithFacts } from '../../shell/parts/fact-links.tsx';
import { Section } from '../../ui/section.tsx';
import { useOccurrences } from '../event/occurrences.ts';
import { isOpaque } from '../event/opaque.ts';
import { useHistory } from '../story/history-section.tsx';
import styles from './known.module.css';
import { knownFacts } from './known-facts.ts';

/** Counted facts, and below them the hint of a rule, if one fits. */
export function Known({ incident, bundle }: { incident: Incident; bundle: DebugBundle }) {
  const nowMs = usePresent();
  const { deploy, occurrences } = bundle.context;
  const isOlder = deploy !== null && Date.parse(incident.first_seen_at) < Date.parse(deploy.deployed_at);
  const days = useOccurrences(incident, 'days');
  const sinceDeploy = useOccurrences(incident, isOlder ? { from: deploy.deployed_at } : null);
  const { data: history = [] } = useQuery(useHistory(incident));
  const hasTags = useFeature('tags');
  const { data: tags = [] } = useQuery({ ...tagsQuery(incident.incident_id), enabled: hasTags });
  const version = deploy?.deploy_version ?? deploy?.commit_sha?.slice(0, 7) ?? null;
  const releases = (occurrences?.items ?? [])
    .toSorted((a, b) => a.occurred_at.localeCompare(b.occurred_at))
    .flatMap(({ deploy_version: each }) => (each === null ? [] : [each]));
  const peculiar = peculiarTags(tags);
  const facts = knownFacts({
    total: incident.occurrence_count,
    firstSeenAt: incident.first_seen_at,
    nowMs,
    deploy: deploy === null || version === null ? null : { version, deployedAt: deploy.deployed_at },
    sinceDeploy: sinceDeploy ?? null,
    days: days ?? null,
    history,
    releases: [...new Set(releases)],
    peculiar,
  });
  const links = linksOf(incident.project_id, {
    versions: [
      deploy?.deploy_version ?? '',
      ...releases,
      ...(days?.markers ?? []).map(({ kind, label }) => (kind === 'deploy' ? (label ?? '') : '')),
    ],
    tags: peculiar,
    people: history.flatMap(({ actor }) => (actor === null ? [] : [actor.name])),
  });
  return (
    <Section id="known" title="What is known">
      <div className={styles.known}>
        {facts.length === 0 ? (
          <p className={styles.soft}>No pattern yet.</p>
        ) : (
          <ul className={styles.facts}>
            {facts.map((fact) => (
              <li key={fact}>
                <WithFacts text={fact} facts={links} />
              </li>
            ))}
          </ul>
        )}
        <Hint bundle={bundle} />
      </div>
    </Section>
  );
}

/** Returns links for the names in the facts. */
function linksOf(
  pid: string,
  named: { versions: readonly string[]; tags: readonly PeculiarTag[]; people: readonly string[] },
): (readonly [text: string, shown: ReactNode])[] {
  return [
    ...named.versions.map(
      (version) => [version, <ReleaseLink key={version} pid={pid} version={version} />] as const,
    ),
    ...named.tags.map(({ key, value }) => {
      const text = `${key} = ${value}`;
      return [
        text,
        <TagLink key={text} pid={pid} name={key} value={value}>
          {visibleLine(text)}
        </TagLink>,
      ] as const;
    }),
    ...named.people.map(
      (name) =>
        [
          name,
          <PersonLink key={name} pid={pid}>
            {visibleLine(name)}
          </PersonLink>,
        ] as const,
    ),
  ];
}

/** The sentence of the rule that fits the message; without one there is no hint. */
function Hint({ bundle }: { bundle: DebugBundle }) {
  const hint = hintOf(bundle.summary);
  if (hint === null) return null;
  return (
    <div className={styles.hint}>
      <div>
        <span className={styles.label}>Hint</span> {visibleLine(hint.sentence)}{' '}
        {hint.action !== null && visibleLine(hint.action)}{' '}
        <details className={styles.why}>
          <summary>Why?</summary> The error matches a known pattern. This is a guess: check it against the
          stack.
        </details>
      </div>
      {isOpaque(bundle) && (
        <p>
          Browsers withhold the details of errors in scripts of other origins. Serve those scripts with CORS
          headers and load them with the <code>crossorigin</code> attribute.
        </p>
      )}
    </div>
  );
}
