import { type CapturePreview, previewCapture } from '@culprit/contract/capture/capture-preview';
import type { BodyOf } from '@culprit/contract/endpoints/endpoint';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { problemText } from '../api/problem-words.ts';
import { useFeature } from '../api/server.ts';
import { call } from '../api/transport.ts';
import { visibleLine } from '../format/event-text.ts';
import { count, plural } from '../format/numbers.ts';
import { Time } from '../format/time.tsx';
import { pathTo } from '../paths.ts';
import link from '../shell/parts/link.module.css';
import { useSettled } from '../ui/fields/use-settled.ts';
import styles from './capture.module.css';

const HOURS = 24;
const SAMPLES_SHOWN = 5;

type PreviewBody = Omit<BodyOf<typeof previewCapture>, 'hours'>;

/** Asks what a change would have done to the events of the last day. */
export async function readCapturePreview(
  projectId: string,
  body: PreviewBody,
  signal?: AbortSignal,
): Promise<CapturePreview> {
  const params = { id: projectId };
  const input = { params, body: { ...body, hours: HOURS } };
  return await call(previewCapture, signal === undefined ? input : { ...input, signal });
}

/**
 * Reads the effect that a change would have had on the events of the last day; undefined while nothing is requested or
 * known.
 */
export function useCapturePreview(projectId: string, body: PreviewBody | null) {
  const hasPreview = useFeature('capture_preview');
  const settled = useSettled(body);
  return useQuery({
    queryKey: [previewCapture.id, projectId, settled],
    queryFn: ({ signal }) => readCapturePreview(projectId, settled ?? {}, signal),
    enabled: hasPreview && settled !== null,
    staleTime: 30_000,
    placeholderData: (before) => before,
  });
}

/** The effect in figures, what would be hidden, and some of the events. */
export function CaptureEffect({ preview, error }: { preview: CapturePreview | undefined; error: unknown }) {
  if (error !== null) return <p className={styles.error}>{problemText(error)}</p>;
  if (preview === undefined) return <p className={styles.soft}>Reading the events of the last 24 hours…</p>;
  const { incidents_hidden: hidden, samples, regressions_hidden: regressions } = preview;
  return (
    <>
      <p aria-live="polite">{effectWords(preview)}</p>
      {hidden.length > 0 && (
        <>
          <p className={styles.warning}>
            {plural(hidden.length, 'incident')} would not have appeared
            {regressions > 0 && `, and ${plural(regressions, 'regression')} would have been missed`}:
          </p>
          <ul className={styles.lines} aria-label="Incidents that would not have appeared">
            {hidden.slice(0, SAMPLES_SHOWN).map(({ incident_id: id, title, events }) => (
              <li key={id}>
                <Link className={link.link} to={pathTo('incident', { id })}>
                  <bdi translate="no">{visibleLine(title)}</bdi>
                </Link>
                <span className={styles.soft}>{plural(events, 'event')}</span>
              </li>
            ))}
          </ul>
        </>
      )}
      {samples.length > 0 && (
        <ul className={styles.lines} aria-label="Events with another outcome">
          {samples.slice(0, SAMPLES_SHOWN).map(({ event_id: id, text, occurred_at: at }) => (
            <li key={id}>
              <code dir="auto" translate="no">
                {visibleLine(text)}
              </code>
              <span className={styles.soft}>
                <Time iso={at} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

/** The outcomes, in the words of Event intake. */
const OUTCOMES = [
  ['incident', 'in incidents'],
  ['context', 'kept as context'],
  ['demoted', 'kept without incident'],
  ['sampled_out', 'sampled out'],
  ['dropped', 'discarded'],
  ['rejected', 'outside the preset'],
] as const;

/** "Based on 1,204 events seen in the last 24 h: in incidents 40 → 12, discarded 0 → 28." */
function effectWords({ events_seen: seen, before, after, is_complete: isComplete }: CapturePreview): string {
  const of = `Based on ${isComplete ? '' : 'the newest '}${plural(seen, 'event')} kept in the last ${HOURS} h`;
  const moved = OUTCOMES.filter(([outcome]) => before[outcome] !== after[outcome]).map(
    ([outcome, words]) => `${words} ${count(before[outcome])} → ${count(after[outcome])}`,
  );
  return moved.length === 0 ? `${of}, no outcome changes.` : `${of}: ${moved.join(', ')}.`;
}
