import { type QueryTerm, readQuery } from '@culprit/contract/search/incident-query';
import { hashUserId, isHashedUserId } from '@culprit/evidence/events/redact/user-id-hash';
import type { Transaction } from '../../platform/db/database.ts';
import { invalidPayload } from '../../platform/http/binding/payload-fault.ts';
import { findUserKey } from './views.queries.ts';

/**
 * Returns the query in the form in which a view keeps it: with hashes for the ids of users, which are stored nowhere
 * (docs/contract/team-workflow.md 1.1).
 * @throws Problem `invalid_payload`
 */
export async function storedQuery(
  transaction: Transaction,
  text: string,
  projectId: string | null,
): Promise<string> {
  const terms = readTerms(text);
  const naming = terms.filter(namesUsers);
  if (naming.length === 0) return text.trim();
  const userKey = projectId === null ? null : await findUserKey(transaction, projectId);
  if (userKey === null) throw invalidPayload('/q', 'user needs a view of one project');
  let stored = '';
  let end = 0;
  for (const { at, source, isNegated, values } of naming) {
    const hashes = values.map((value) => hashUserId(userKey, value.text));
    stored += `${text.slice(end, at)}${isNegated ? '-' : ''}user:${hashes.join(',')}`;
    end = at + source.length;
  }
  stored += text.slice(end);
  readTerms(stored);
  return stored.trim();
}

function readTerms(text: string): readonly QueryTerm[] {
  const { terms, fault } = readQuery(text);
  if (fault !== null) throw invalidPayload('/q', fault.words);
  return terms;
}

function namesUsers(term: QueryTerm): term is Extract<QueryTerm, { kind: 'filter' }> {
  return (
    term.kind === 'filter' && term.key === 'user' && term.values.some(({ text }) => !isHashedUserId(text))
  );
}
