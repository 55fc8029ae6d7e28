/**
 * Whose tokens are worth nothing: those of people who came by this provider and have not signed in there for so long
 * (docs/contract/team-workflow.md 9.4). A person who left a company cannot, so no one has to think of their tokens.
 */
export interface TokenStaleness {
  issuer: string;
  afterSeconds: number;
}
