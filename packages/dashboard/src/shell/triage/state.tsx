import checkIcon from 'virtual:icon/check';
import dotIcon from 'virtual:icon/dot-fill';
import graphIcon from 'virtual:icon/graph';
import replyIcon from 'virtual:icon/reply';
import type { Incident } from '@culprit/contract/incidents/incidents';
import { Icon } from '../../ui/icon.tsx';
import styles from './state.module.css';

const WORDS = {
  open: { word: 'Open', icon: dotIcon },
  regressed: { word: 'Regressed', icon: replyIcon },
  resolved: { word: 'Resolved', icon: checkIcon },
  spiking: { word: 'Spiking', icon: graphIcon },
} as const;

/** A state by shape and word. */
export function StateMark({ state }: { state: keyof typeof WORDS }) {
  const { word, icon } = WORDS[state] ?? { word: state, icon: dotIcon };
  return (
    <span className={[styles.mark, styles[state]].join(' ')}>
      <Icon path={icon} size={12} />
      {word}
    </span>
  );
}

const NEW_MS = 24 * 60 * 60_000;

/** Returns true if the incident was first seen within a day and is open. */
export function isNew(
  { status, first_seen_at: at }: Pick<Incident, 'status' | 'first_seen_at'>,
  nowMs: number,
): boolean {
  return status === 'open' && nowMs - Date.parse(at) < NEW_MS;
}

const SPIKE_MS = 60 * 60_000;

/** Returns true if the incident has a spike just now. */
export function isSpiking(
  { spike_detected_at: at }: Pick<Incident, 'spike_detected_at'>,
  nowMs: number,
): boolean {
  return at !== null && nowMs - Date.parse(at) < SPIKE_MS;
}
