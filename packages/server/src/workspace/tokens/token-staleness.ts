/**
 * The condition under which tokens are worth nothing: their person came by this provider and has not signed in there
 * for that long (docs/contract/team-workflow.md 9.4). A person who left a company cannot sign in, so no one has to
 * think of their tokens.
 */
export interface TokenStaleness {
  issuer: string;
  afterSeconds: number;
}
