import { listenForWakeUps } from '../../platform/jobs/wake-listener.ts';
import { LEDGER_CHANNEL, type LedgerChange, parseLedgerChange } from './ledger-change.ts';

/** Notifies the followers of the ledger in this process when something was written to it. */
export interface LedgerWatch {
  /**
   * Calls back with every change that is committed from now on, and with null where some may have been missed. The
   * connection that hears of them is opened for the first follower.
   */
  follow(onChange: (change: LedgerChange | null) => void): () => void;
  /** Aborted when the service stops: every follower has to end. */
  readonly closing: AbortSignal;
  /** Ends everybody who follows. */
  beginClose(): void;
  close(): Promise<void>;
}

export function createLedgerWatch(databaseUrl: string): LedgerWatch {
  const followers = new Set<(change: LedgerChange | null) => void>();
  const ending = new AbortController();
  let listener: ReturnType<typeof listenForWakeUps> | null = null;

  function tell(payload: string | null): void {
    const change = payload === null ? null : parseLedgerChange(payload);
    for (const onChange of [...followers]) onChange(change);
  }

  return {
    follow(onChange) {
      followers.add(onChange);
      if (!ending.signal.aborted) {
        listener ??= listenForWakeUps(databaseUrl, tell, { channel: LEDGER_CHANNEL });
      }
      return () => followers.delete(onChange);
    },
    closing: ending.signal,
    beginClose: () => ending.abort(),
    async close() {
      ending.abort();
      await listener?.close();
    },
  };
}
