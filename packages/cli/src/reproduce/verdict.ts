/** The conclusion about the failure from sending the request again. */
type Verdict = 'reproduced' | 'not_reproduced' | 'unclear';

const SERVER_FAILURE = 500;

/** @param hasGrown whether the incident counted one more occurrence */
export function verdictOf(
  answered: number | null,
  captured: number | null,
  hasGrown: boolean,
): { verdict: Verdict; why: string } {
  if (hasGrown) return { verdict: 'reproduced', why: 'the incident counted one more occurrence' };
  if (answered === null) return { verdict: 'unclear', why: 'no answer arrived' };
  if (captured !== null && answered === captured) {
    return { verdict: 'reproduced', why: `the answer is ${answered}, as it was captured` };
  }
  if (answered >= SERVER_FAILURE) {
    return { verdict: 'unclear', why: `the answer is ${answered}, and ${captured ?? 'none'} was captured` };
  }
  if (captured === null) {
    return {
      verdict: 'unclear',
      why: `the answer is ${answered}, none was captured, and nothing was counted`,
    };
  }
  return {
    verdict: 'not_reproduced',
    why: `the answer is ${answered} instead of ${captured}, and nothing was counted`,
  };
}
