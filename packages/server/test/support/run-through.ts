import type { Sliced } from '@culprit/evidence/events/envelope/sliced';

/** Does sliced work in one go. */
export function runThrough<Result>(work: Sliced<Result>): Result {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

/** The same, and how much work each slice was. */
export function slicesOf<Result>(work: Sliced<Result>): { result: Result; slices: number[] } {
  const slices: number[] = [];
  for (;;) {
    const step = work.next();
    if (step.done === true) return { result: step.value, slices };
    slices.push(step.value);
  }
}
