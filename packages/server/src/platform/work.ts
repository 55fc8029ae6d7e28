import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * The work of one request. It can be stopped, because its time has run out or its client has disconnected. After that
 * no statement starts and no transaction commits in it: `platform/db/database.ts` and the outbound modules enforce
 * that, so that no operation has to.
 */
export interface Work {
  /** Runs a part of the work; what it calls belongs to the work, across all awaits. */
  run<Result>(part: () => Promise<Result>): Promise<Result>;
  /** Every statement and message of the work fails with this error from here on. */
  stop(reason: Error): void;
  /**
   * True if something was committed or sent, or was on its way without an answer: after it, a failure proves nothing.
   */
  readonly mayHaveEffect: boolean;
}

interface State {
  stopped: Error | null;
  effects: number;
}

const current = new AsyncLocalStorage<State>();

export function startWork(): Work {
  const state: State = { stopped: null, effects: 0 };
  return {
    run: (part) => current.run(state, part),
    stop(reason) {
      state.stopped ??= reason;
    },
    get mayHaveEffect() {
      return state.effects > 0;
    },
  };
}

/** @throws the reason for which the work that this belongs to was stopped */
export function assertWorkGoesOn(): void {
  const stopped = current.getStore()?.stopped;
  if (stopped != null) throw stopped;
}

/**
 * Notes, before it is sent, what may take effect.
 * @returns how the note is removed when it turns out that there was no effect
 */
export function noteEffect(): () => void {
  const state = current.getStore();
  if (state === undefined) return () => {};
  state.effects += 1;
  return () => {
    state.effects -= 1;
  };
}

/** Before a message leaves that cannot be recalled. @throws the reason for which the work was stopped */
export function noteSending(): void {
  assertWorkGoesOn();
  noteEffect();
}

/** For what several requests share: it must not stop with the one that started it. */
export function outsideWork<Result>(part: () => Result): Result {
  return current.exit(part);
}
