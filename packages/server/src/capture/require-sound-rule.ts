import { findRuleFault, type RuleSettings } from '@culprit/evidence/capture/capture-rule';
import { invalidPayload } from '../platform/http/binding/payload-fault.ts';

/**
 * Refuses a rule whose parts do not agree (docs/contract/ingestion.md 5.4).
 * @throws Problem `invalid_payload`
 */
export function requireSoundRule(settings: RuleSettings): void {
  const fault = findRuleFault(settings);
  if (fault !== null) throw invalidPayload(fault.pointer, fault.words);
}
