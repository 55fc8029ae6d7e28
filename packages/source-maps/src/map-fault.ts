import type { MapProblem } from '@culprit/contract/releases/map-limits';

/** Why a map cannot be used, with what the sentence of the problem needs. */
export class MapFault extends Error {
  override name = 'MapFault';
  readonly problem: MapProblem;

  constructor(problem: MapProblem, detail: string) {
    super(detail);
    this.problem = problem;
  }
}
