import type { DebugBundle } from '@culprit/contract/incidents/bundle';
import type { Incident } from '@culprit/contract/incidents/incidents';
import { Link } from '@tanstack/react-router';
import { visibleLine } from '../../format/event-text.ts';
import { pathTo } from '../../paths.ts';
import link from '../../shell/parts/link.module.css';
import { SEVERITY_WORDS } from '../../shell/triage/severity.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Section } from '../../ui/section.tsx';
import styles from './facts.module.css';

interface Fact {
  name: string;
  value: string;
  /** An id, which is too long to be shown whole. */
  isId?: boolean;
  /** The text to copy, and its name. */
  copied?: { text: string; of: string };
  /** The search of the list of releases that shows it. */
  version?: string;
}

/** Shows the facts about the failing service and environment, in a list of names and values. */
export function Facts({ incident, bundle }: { incident: Incident; bundle: DebugBundle | null }) {
  return (
    <Section id="facts" title="Facts">
      <dl className={styles.facts}>
        {factsOf(incident, bundle).map(({ name, value, isId = false, copied, version }) => (
          <div key={name} className={styles.fact}>
            <dt>{name}</dt>
            <dd className={isId ? styles.id : ''} title={visibleLine(value)} translate="no" dir="auto">
              {version === undefined ? (
                <span>{visibleLine(value)}</span>
              ) : (
                <Link
                  className={link.link}
                  to={pathTo('releases', { pid: incident.project_id })}
                  search={{ version }}
                >
                  {visibleLine(value)}
                </Link>
              )}
              {copied !== undefined && <CopyButton isIcon text={copied.text} label={`Copy ${copied.of}`} />}
            </dd>
          </div>
        ))}
      </dl>
    </Section>
  );
}

function factsOf(incident: Incident, bundle: DebugBundle | null): Fact[] {
  const own = fact('Incident', incident.incident_id, true);
  const severity = fact('Severity', SEVERITY_WORDS[incident.severity] ?? incident.severity);
  if (bundle === null) return [severity, own].filter((each) => each !== null);
  const { deploy, git, runtime, environment, request } = bundle.context;
  const host = environment?.host ?? runtime?.hostname;
  const { sdk, service } = bundle;
  const facts: (Fact | null)[] = [
    severity,
    release('Release', service.version ?? deploy?.deploy_version),
    release('First release', incident.first_release),
    release('Last release', incident.last_release),
    commit(git?.commit ?? git?.commit_short ?? deploy?.commit_sha, git?.branch ?? deploy?.branch),
    fact('Runtime', joined([runtime?.name ?? service.runtime, runtime?.runtime_version])),
    fact('Framework', service.framework),
    fact('Host', joined([host, runtime?.platform, runtime?.arch], ' · ')),
    fact('Library', joined([sdk.name, sdk.version === '0' ? null : sdk.version])),
    fact('Request', request?.request_id, true),
    own,
    fact('Evidence', `version ${bundle.metadata.generation_number}`),
  ];
  return facts.filter((each) => each !== null);
}

/** Parts that say something; clients send "unknown" for what they do not know. */
function joined(parts: readonly (string | null | undefined)[], by = ' '): string {
  return parts
    .filter((part) => part !== null && part !== undefined && part !== '' && part !== 'unknown')
    .join(by);
}

function fact(name: string, value: string | null | undefined, isId = false): Fact | null {
  if (value === null || value === undefined || value === '' || value === 'unknown') return null;
  return isId
    ? { name, value, isId, copied: { text: value, of: `${name.toLowerCase()} id` } }
    : { name, value };
}

function release(name: string, version: string | null | undefined): Fact | null {
  const known = fact(name, version);
  return known === null ? null : { ...known, version: known.value };
}

function commit(sha: string | null | undefined, branch: string | null | undefined): Fact | null {
  const whole = joined([sha]);
  const known = fact('Commit', joined([whole.slice(0, 7), branch]));
  return known === null || whole === '' ? known : { ...known, copied: { text: whole, of: 'commit' } };
}
