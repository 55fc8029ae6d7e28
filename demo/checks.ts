/** The demo's own judgement: every expectation is counted, and the ones that did not hold are named at the end. */
export class Checks {
  readonly missing: string[] = [];
  count = 0;

  /** @param expectation what should be true, as a sentence */
  expect(expectation: string, isTrue: boolean): void {
    this.count += 1;
    if (!isTrue) this.missing.push(expectation);
  }
}
