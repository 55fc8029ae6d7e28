/**
 * The words in which the tables of the events chapter are written: what a field may hold, and how fields make up an
 * object. Lengths count characters (code points), all bounds are inclusive.
 */

/** The values that a field may hold. */
export type FieldRule =
  | { readonly kind: 'any' }
  | { readonly kind: 'boolean' }
  | {
      readonly kind: 'string';
      readonly minLength: number;
      readonly maxLength: number;
      /** Bounds apply to the text without white space at its ends. */
      readonly trimmed: boolean;
      readonly controlsAllowed: boolean;
    }
  | { readonly kind: 'integer'; readonly minimum: number; readonly maximum: number }
  | {
      readonly kind: 'number';
      readonly minimum: number;
      readonly maximum: number;
      readonly aboveMinimum: boolean;
    }
  /** One of these words; `anyCase` ignores the case of ASCII letters. */
  | { readonly kind: 'word'; readonly words: readonly string[]; readonly anyCase: boolean }
  /** ISO 8601 date-time; without an offset it is UTC. */
  | { readonly kind: 'time' }
  /** A UUID, bare or with the prefix `act_`. */
  | { readonly kind: 'activation_id' }
  /** Open map: any keys, any values. */
  | { readonly kind: 'map' }
  /** Open map whose values are numbers or null. */
  | { readonly kind: 'number_map' }
  | { readonly kind: 'object'; readonly shape: EventShape }
  | { readonly kind: 'list'; readonly items: FieldRule; readonly maxItems: number }
  | { readonly kind: 'either'; readonly rules: readonly FieldRule[] }
  /** A value that does not fit is no fault: it is read as absent and kept as an unnamed key would be. */
  | { readonly kind: 'lenient'; readonly rule: FieldRule };

export interface EventField {
  /** Accepted spellings; the first is the normalized one. A dot reaches into a sub-object. */
  readonly names: readonly [string, ...string[]];
  readonly rule: FieldRule;
  readonly required: boolean;
  readonly nullable: boolean;
  /** Two spellings with different values are not a conflict (`path` and `url`). */
  readonly mayDiffer: boolean;
  /** Required unless the field of this name has a value. */
  readonly requiredWithout: string | null;
  /** A time that must not lie after the time in the field of this name. */
  readonly notAfter: string | null;
}

export interface EventShape {
  /** An unknown key is a fault. Open shapes keep unknown keys (docs/contract/ingestion.md 1.6). */
  readonly closed: boolean;
  readonly fields: readonly EventField[];
  /** Two fields that name one fact and must agree when both are present. */
  readonly equalPairs: readonly (readonly [string, string])[];
}

type FieldFlag = 'required' | 'nullable' | 'may_differ';

interface FieldExtras {
  readonly requiredWithout?: string;
  readonly notAfter?: string;
}

export function field(
  names: string | readonly [string, ...string[]],
  rule: FieldRule,
  flags: readonly FieldFlag[] = [],
  extras: FieldExtras = {},
): EventField {
  return {
    names: typeof names === 'string' ? [names] : names,
    rule,
    required: flags.includes('required'),
    nullable: flags.includes('nullable'),
    mayDiffer: flags.includes('may_differ'),
    requiredWithout: extras.requiredWithout ?? null,
    notAfter: extras.notAfter ?? null,
  };
}

export function optional(names: readonly string[], rule: FieldRule): EventField[] {
  return names.map((name) => field(name, rule, ['nullable']));
}

export function text(minLength = 0, maxLength = Number.POSITIVE_INFINITY): FieldRule {
  return { kind: 'string', minLength, maxLength, trimmed: false, controlsAllowed: true };
}

export function trimmedText(minLength: number, maxLength: number): FieldRule {
  return { kind: 'string', minLength, maxLength, trimmed: true, controlsAllowed: true };
}

export function integer(minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY): FieldRule {
  return { kind: 'integer', minimum, maximum };
}

export function number(minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY): FieldRule {
  return { kind: 'number', minimum, maximum, aboveMinimum: false };
}

export function word(...words: readonly string[]): FieldRule {
  return { kind: 'word', words, anyCase: false };
}

export function list(items: FieldRule, maxItems = Number.POSITIVE_INFINITY): FieldRule {
  return { kind: 'list', items, maxItems };
}

export function either(...rules: readonly FieldRule[]): FieldRule {
  return { kind: 'either', rules };
}

export function open(fields: readonly EventField[]): FieldRule {
  return { kind: 'object', shape: { closed: false, fields, equalPairs: [] } };
}

export function closed(fields: readonly EventField[]): FieldRule {
  return { kind: 'object', shape: { closed: true, fields, equalPairs: [] } };
}

/**
 * Returns the rule for fields that were open before they were named: senders that put something else there are still
 * accepted (docs/contract/ingestion.md 1.6).
 */
export function lenient(rule: FieldRule): FieldRule {
  return { kind: 'lenient', rule };
}

export const any: FieldRule = { kind: 'any' };
export const boolean: FieldRule = { kind: 'boolean' };
export const map: FieldRule = { kind: 'map' };
export const isoTime: FieldRule = { kind: 'time' };
export const activationId: FieldRule = { kind: 'activation_id' };
