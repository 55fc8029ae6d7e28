import type { DebugBundle } from '@culprit/contract/bundle';
import type { Incident } from '@culprit/contract/incidents';
import { visibleLine } from '../format/event-text.ts';
import { CopyButton } from '../ui/copy-button.tsx';
import styles from './facts.module.css';

interface Fact {
  name: string;
  value: string;
  /** What is too long to show is copied whole. */
  isId?: boolean;
}

/** What is known of the place where it broke, in a list of names and values. */
export function Facts({ incident, bundle }: { incident: Incident; bundle: DebugBundle }) {
  return (
    <aside className={styles.rail} aria-label="Facts">
      <dl className={styles.facts}>
        {factsOf(incident, bundle).map(({ name, value, isId = false }) => (
          <div key={name} className={styles.fact}>
            <dt>{name}</dt>
            <dd className={isId ? styles.id : ''} title={visibleLine(value)} translate="no" dir="auto">
              <span>{visibleLine(value)}</span>
              {isId && <CopyButton isIcon text={value} label={`Copy ${name.toLowerCase()}`} />}
            </dd>
          </div>
        ))}
      </dl>
    </aside>
  );
}

function factsOf(incident: Incident, bundle: DebugBundle): Fact[] {
  const { deploy, git, runtime, environment, request } = bundle.context;
  const host = environment?.host ?? runtime?.hostname;
  const facts: (Fact | null)[] = [
    fact('Release', deploy?.deploy_version ?? bundle.service.version),
    fact(
      'Commit',
      [git?.commit_short ?? deploy?.commit_sha?.slice(0, 7), git?.branch ?? deploy?.branch]
        .filter(Boolean)
        .join(' '),
    ),
    fact(
      'Runtime',
      [runtime?.name ?? bundle.service.runtime, runtime?.runtime_version].filter(Boolean).join(' '),
    ),
    fact('Framework', bundle.service.framework),
    fact('Host', [host, runtime?.platform, runtime?.arch].filter(Boolean).join(' · ')),
    fact('Library', `${bundle.sdk.name} ${bundle.sdk.version}`),
    fact('Request', request?.request_id, true),
    fact('Incident', incident.incident_id, true),
    fact('Evidence', `generation ${bundle.metadata.generation_number}`),
  ];
  return facts.filter((each) => each !== null);
}

function fact(name: string, value: string | null | undefined, isId = false): Fact | null {
  return value === null || value === undefined || value === '' ? null : { name, value, isId };
}
