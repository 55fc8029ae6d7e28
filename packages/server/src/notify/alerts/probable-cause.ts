import type { TopFrame } from '@culprit/contract/incidents/incident-activity';
import { likelyCause } from '@culprit/evidence/bundles/document/likely-cause';

/** The facts of an incident that are known before its bundle is. */
interface KnownFacts {
  title: string;
  fingerprintKind: string;
  /** Types of the errors of its chain. */
  types: readonly string[];
  topFrame: TopFrame | null;
  lastSeenAt: string;
}

/** The sentence about the likely cause of an incident, by the rules of docs/contract/incidents.md 3.5.1. */
export function probableCause(facts: KnownFacts): string | null {
  const { title, fingerprintKind, types, topFrame, lastSeenAt } = facts;
  const browserFailure =
    fingerprintKind === 'window' || fingerprintKind === 'resource' ? fingerprintKind : null;
  return likelyCause({
    browserFailure,
    errors: [{ type: '', message: title }, ...types.map((type) => ({ type, message: '' }))],
    frame: topFrame,
    hasRequest: false,
    capturedAt: lastSeenAt,
    newDeploy: null,
  }).likelyCause;
}
