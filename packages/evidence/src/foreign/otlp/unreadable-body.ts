/** Why a body is refused as a whole; caught where reading begins. */
export class UnreadableBody extends Error {
  readonly problem: 'invalid_payload' | 'payload_too_large';

  constructor(problem: UnreadableBody['problem'], reason: string) {
    super(reason);
    this.problem = problem;
  }
}
