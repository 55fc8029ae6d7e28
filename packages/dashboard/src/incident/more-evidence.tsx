import type { DebugBundle } from '@culprit/contract/bundle';
import { Link } from '@tanstack/react-router';
import { visibleLine, visibleText } from '../format/event-text.ts';
import { Time } from '../format/time.tsx';
import { pathTo } from '../paths.ts';
import link from '../shell/link.module.css';
import { JsonView, withoutEmpty } from '../ui/json-view.tsx';
import { Section } from '../ui/section.tsx';
import styles from './more-evidence.module.css';

/** What probes saw. */
export function Probes({ bundle }: { bundle: DebugBundle }) {
  const items = bundle.context.probe_data?.items ?? [];
  if (items.length === 0) return null;
  return (
    <Section id="probes" title="Probes">
      <ul className={styles.items}>
        {items.map(({ label, timestamp, data }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: probe results stand in their order
          <li key={index}>
            <p className={styles.probe}>
              <strong translate="no">{visibleLine(label)}</strong> <Time iso={timestamp} form="clock" />
            </p>
            <JsonView value={data} show={visibleText} />
          </li>
        ))}
      </ul>
    </Section>
  );
}

const TITLES: Readonly<Record<string, string>> = {
  deploy: 'Deploy',
  git: 'Git',
  runtime: 'Runtime',
  environment: 'Machine',
  dependencies: 'Dependencies',
  device: 'Device',
  custom: 'Custom',
};
/** Shown in parts of their own. */
const ELSEWHERE = new Set([
  'error',
  'request',
  'response',
  'logs',
  'frontend',
  'probe_data',
  'error_chain',
  'occurrences',
  'resource_failure',
  'stack',
  'grouping',
]);

/** Everything known of the place; blocks of a newer server stand under their own name. */
export function EnvironmentSection({ bundle }: { bundle: DebugBundle }) {
  const blocks = Object.entries(bundle.context).filter(
    ([name, block]) => !ELSEWHERE.has(name) && block !== null && block !== undefined,
  );
  if (blocks.length === 0) return null;
  return (
    <Section id="environment" title="Environment">
      <div className={styles.blocks}>
        {blocks.map(([name, block]) => (
          <div key={name}>
            <h3>{TITLES[name] ?? name}</h3>
            <JsonView value={withoutEmpty(block)} show={visibleText} />
          </div>
        ))}
      </div>
    </Section>
  );
}

/** What was removed before storage. */
export function RedactionSection({ bundle: { redaction } }: { bundle: DebugBundle }) {
  if (!redaction.redacted) return null;
  return (
    <Section
      id="redaction"
      title="Redaction"
      note={`${redaction.fields.length} ${redaction.fields.length === 1 ? 'field was' : 'fields were'} removed before storage`}
    >
      <ul className={styles.paths} translate="no">
        {redaction.fields.map((path) => (
          <li key={path}>
            <code>{visibleLine(path)}</code>
          </li>
        ))}
      </ul>
      {redaction.notes !== null && <p className={styles.soft}>{visibleLine(redaction.notes)}</p>}
    </Section>
  );
}

const NAMES: readonly (readonly [string, (context: DebugBundle['context']) => boolean])[] = [
  ['stack', ({ error }) => error !== null && error.stack !== 'unavailable'],
  ['request', ({ request }) => request !== null],
  ['response', ({ response }) => response !== null],
  ['logs', ({ logs }) => (logs?.items.length ?? 0) > 0],
  ['browser trail', ({ frontend }) => frontend !== null],
  ['probes', ({ probe_data: probes }) => (probes?.items.length ?? 0) > 0],
  ['deploy', ({ deploy }) => deploy !== null],
  ['git', ({ git }) => git !== null],
  ['runtime', ({ runtime }) => runtime !== null],
  ['machine', ({ environment }) => environment !== null],
  ['dependencies', ({ dependencies }) => dependencies !== null],
  ['device', ({ device }) => device !== null],
];

/** What there is no evidence of, named in one line. */
export function NotCaptured({ bundle, projectId }: { bundle: DebugBundle; projectId: string }) {
  const missing = NAMES.filter(([, has]) => !has(bundle.context)).map(([name]) => name);
  if (missing.length === 0) return null;
  return (
    <p className={styles.soft}>
      Not captured: {missing.join(', ')}.{' '}
      <Link className={link.link} to={pathTo('capture', { pid: projectId })}>
        How to capture
      </Link>
    </p>
  );
}
