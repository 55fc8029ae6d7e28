import type { DebugBundle } from '@culprit/contract/bundle';
import { visibleLine } from '../format/event-text.ts';
import { duration } from '../format/numbers.ts';
import { Section } from '../ui/section.tsx';
import styles from './cause.module.css';
import { confidenceOf, confidenceParts, isOpaque, strengthOf } from './confidence.ts';

const STEPS = 5;

/** What the machine makes of the evidence, what that rests on, and what changed before. */
export function Cause({ bundle }: { bundle: DebugBundle }) {
  const {
    likely_cause: cause,
    recommended_action: action,
    confidence,
    first_application_frame: frame,
  } = bundle.summary;
  const place =
    frame === null ? '' : visibleLine(`${frame.function ?? ''} ${frame.file ?? ''}:${frame.line ?? ''}`);
  return (
    <Section id="cause" title="Likely cause">
      <div className={styles.cause}>
        {isOpaque(bundle) && (
          <p>
            The browser keeps the details of errors in scripts of other origins to itself. Serve those scripts
            with CORS headers and load them with the <code>crossorigin</code> attribute.
          </p>
        )}
        <p className={styles.statement}>
          {cause === null
            ? `No rule knows this failure. ${place === '' ? 'There is no own frame to start at.' : `Start at the first own frame: ${place}`}`
            : visibleLine(cause)}
        </p>
        {action !== null && <p>{visibleLine(action)}</p>}
        <details className={styles.why}>
          <summary>
            Confidence {confidence.toFixed(2)} <Meter share={confidence} /> {strengthOf(confidence)}
          </summary>
          <ul className={styles.parts}>
            {confidenceParts(bundle).map(({ points, has, words }) => (
              <li key={words} className={has ? '' : styles.missing}>
                <span className={styles.points}>
                  {has ? '+' : ''}
                  {(points / 100).toFixed(2)}
                </span>
                {has ? words : `no ${words}`}
              </li>
            ))}
            <li>
              <span className={styles.points}>{confidenceOf(bundle).toFixed(2)}</span>
              {isOpaque(bundle) ? 'at most 0.20 for an opaque browser error' : 'together, at most 0.95'}
            </li>
          </ul>
        </details>
        <Changed bundle={bundle} />
      </div>
    </Section>
  );
}

function Meter({ share }: { share: number }) {
  const full = Math.round(share * STEPS);
  return (
    <span className={styles.meter} aria-hidden="true">
      {Array.from({ length: STEPS }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: steps of a scale have no identity but their place
        <span key={index} data-full={index < full} />
      ))}
    </span>
  );
}

/** What is known to have changed since it last worked. */
function Changed({ bundle }: { bundle: DebugBundle }) {
  const { deploy, occurrences } = bundle.context;
  const versions = [
    ...new Set(
      (occurrences?.items ?? [])
        .map(({ deploy_version: version }) => version)
        .filter((each) => each !== null),
    ),
  ];
  const words: string[] = [];
  if (deploy !== null) {
    const before = Date.parse(bundle.captured_at) - Date.parse(deploy.deployed_at);
    words.push(
      `release ${deploy.deploy_version ?? deploy.commit_sha ?? '?'}, deployed ${duration(before)} before`,
    );
  }
  if (versions.length > 1) words.push(`seen in releases ${versions.join(', ')}`);
  return (
    <p className={styles.changed}>
      <span>Changed</span>{' '}
      {words.length === 0 ? 'Nothing known changed before it.' : visibleLine(words.join('; '))}
    </p>
  );
}
