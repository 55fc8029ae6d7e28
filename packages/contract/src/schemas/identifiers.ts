import Type, { type TUnsafe } from 'typebox';
import type { ProblemCode } from '../endpoints/problems.ts';

/** The kinds of id in a path; a malformed one answers `400 invalid_<kind>_id` (docs/contract/account.md 0). */
type IdKind = Extract<ProblemCode, `invalid_${string}_id`> extends `invalid_${infer Kind}_id` ? Kind : never;

/** Letters, digits, `_` and `-`, 1 to 128 of them. Ids are opaque: a well-formed one that names nothing is a 404. */
const ID_PATTERN = '^[A-Za-z0-9_-]{1,128}$';
const ID = new RegExp(ID_PATTERN);

/** The schema keyword that names the kind of a path id, and so its error code. */
export const ID_KIND_KEYWORD = 'x-id-kind';

/** An id in a path. */
export function PathId(kind: IdKind): TUnsafe<string> {
  return Type.Unsafe<string>({
    type: 'string',
    pattern: ID_PATTERN,
    [ID_KIND_KEYWORD]: kind,
    description: `Id of the ${kind === 'capture_rule' ? 'filter' : kind.replaceAll('_', ' ')}; the prefixed and the bare form are accepted`,
  });
}

/** An id in a query or a body: the same form, refused with `invalid_query` or `invalid_payload`. */
export function RequestId(description: string): TUnsafe<string> {
  return Type.Unsafe<string>({ type: 'string', pattern: ID_PATTERN, description });
}

/** An id in an answer: prefix and UUID, or a bare UUID where the kind has no prefix. */
export function AnswerId(prefix: string | null): TUnsafe<string> {
  return Type.Unsafe<string>({
    type: 'string',
    description: prefix === null ? 'UUID' : `\`${prefix}_\` and a UUID`,
  });
}

/** Returns true if text has the form of an id; it does not check existence. */
export function isWellFormedId(text: string): boolean {
  return ID.test(text);
}
