import { expect } from 'vitest';
import type { Answer } from './send-events.ts';

/** Fails unless the answer is exactly this problem. */
export function expectProblem(answer: Answer, status: number, error: string): void {
  expect([answer.status, answer.body]).toEqual([status, { error }]);
}

/** What an answer with this problem has, for `toMatchObject`. */
export const problem = (status: number, error: string) => ({ status, body: { error } });
