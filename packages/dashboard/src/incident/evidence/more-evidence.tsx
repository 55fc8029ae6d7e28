import type { DebugBundle } from '@culprit/contract/incidents/bundle';
import { Link } from '@tanstack/react-router';
import { visibleLine, visibleText } from '../../format/event-text.ts';
import { plural } from '../../format/numbers.ts';
import { Time } from '../../format/time.tsx';
import { pathTo } from '../../paths.ts';
import link from '../../shell/parts/link.module.css';
import { FoldedSection } from '../../ui/folded-section.tsx';
import { JsonView, withoutEmpty } from '../../ui/json-view.tsx';
import { environmentBlocks } from '../event/environment-blocks.ts';
import levelStyles from '../level.module.css';
import styles from './more-evidence.module.css';

/** Shows the application's logs around the failure. */
export function Logs({ bundle }: { bundle: DebugBundle }) {
  const items = bundle.context.logs?.items ?? [];
  if (items.length === 0) return null;
  const worst = items.filter(({ level }) => level !== 'info' && level !== 'debug').length;
  return (
    <FoldedSection
      id="logs"
      title="Logs"
      summary={`${plural(items.length, 'line')}${worst === 0 ? '' : `, ${worst} from warning up`}`}
    >
      <ol className={styles.logs} translate="no">
        {items.map(({ level, message, timestamp, attributes }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines keep their order
          <li key={index}>
            <Time iso={timestamp} form="clock" />
            <span className={`${levelStyles.level} ${styles.level}`} data-level={level}>
              {visibleLine(level)}
            </span>
            <div className={styles.words}>
              <p dir="auto">{visibleText(message)}</p>
              {Object.keys(attributes).length > 0 && (
                <JsonView value={attributes} show={visibleText} levels={1} />
              )}
            </div>
          </li>
        ))}
      </ol>
    </FoldedSection>
  );
}

/** Shows the results of probes. */
export function Probes({ bundle }: { bundle: DebugBundle }) {
  const items = bundle.context.probe_data?.items ?? [];
  if (items.length === 0) return null;
  return (
    <FoldedSection id="probes" title="Probes" summary={plural(items.length, 'result')}>
      <ul className={styles.items}>
        {items.map(({ label, timestamp, data }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: probe results keep their order
          <li key={index}>
            <p className={styles.probe}>
              <strong translate="no">{visibleLine(label)}</strong> <Time iso={timestamp} form="clock" />
            </p>
            <JsonView value={data} show={visibleText} levels={2} />
          </li>
        ))}
      </ul>
    </FoldedSection>
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

/** Everything known of the place; blocks of a newer server have their own name. */
export function EnvironmentSection({ bundle }: { bundle: DebugBundle }) {
  const blocks = environmentBlocks(bundle.context);
  if (blocks.length === 0) return null;
  return (
    <FoldedSection
      id="environment"
      title="Environment"
      summary={blocks.map(([name]) => TITLES[name] ?? name).join(', ')}
    >
      <div className={styles.blocks}>
        {blocks.map(([name, block]) => (
          <div key={name}>
            <h3>{TITLES[name] ?? name}</h3>
            <JsonView value={withoutEmpty(block)} show={visibleText} levels={2} />
          </div>
        ))}
      </div>
    </FoldedSection>
  );
}

/** Shows the values that were removed before storage. */
export function RedactionSection({ bundle: { redaction } }: { bundle: DebugBundle }) {
  if (!redaction.redacted) return null;
  return (
    <FoldedSection
      id="redaction"
      title="Redaction"
      summary={`${plural(redaction.fields.length, 'field')} removed before storage`}
    >
      <ul className={styles.paths} translate="no">
        {redaction.fields.map((path) => (
          <li key={path}>
            <code>{visibleLine(path)}</code>
          </li>
        ))}
      </ul>
      {redaction.notes !== null && <p className={styles.soft}>{visibleLine(redaction.notes)}</p>}
    </FoldedSection>
  );
}

const NAMES: readonly (readonly [string, (context: DebugBundle['context']) => boolean])[] = [
  ['error', ({ error }) => error !== null],
  [
    'stack',
    ({ error, stack }) =>
      (error !== null && error.stack !== 'unavailable') || (stack?.frames.length ?? 0) > 0,
  ],
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

/** Shows the captured and the missing evidence, in one line. */
export function Captured({ bundle, projectId }: { bundle: DebugBundle; projectId: string }) {
  const named = (isThere: boolean) =>
    NAMES.filter(([, has]) => has(bundle.context) === isThere)
      .map(([name]) => name)
      .join(', ');
  const [captured, missing] = [named(true), named(false)];
  return (
    <p className={styles.captured}>
      {captured !== '' && `Captured: ${captured}. `}
      {missing !== '' && (
        <>
          Missing: {missing}.{' '}
          <Link className={link.link} to={pathTo('capture', { pid: projectId })}>
            How to capture
          </Link>
        </>
      )}
    </p>
  );
}
