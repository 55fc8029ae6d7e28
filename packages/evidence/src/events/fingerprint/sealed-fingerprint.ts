import { hash } from 'node:crypto';
import { FINGERPRINT_VERSION } from '@culprit/contract/fingerprint-version';
import type { GroupingReader, GroupingRule, MatchedField } from '@culprit/contract/grouping-explanation';
import type { Mapping } from './stack/mapped-frames.ts';
import type { ApplicationFrame, ParsedException } from './stack/parsed-stack.ts';

/** What makes events one incident of their service (docs/contract/incidents.md 5.4). */
export interface Fingerprint {
  version: typeof FINGERPRINT_VERSION;
  /** 64 lower-case hex digits. */
  value: string;
  kind: 'exception' | 'log' | 'window' | 'resource' | 'request';
  /** The canonical JSON whose SHA-256 is `value`. */
  materialJson: string;
  /** The text whose template is a part of the key, and the type of its exception; null where no text is. */
  wording: { message: string; type: string } | null;
  /** Inputs of the grouping key (docs/contract/incidents.md 5.4.9). */
  matchedFields: MatchedField[];
  /** What read the event, and what decided the key (docs/contract/grouping.md 4.1). */
  readers: GroupingReader[];
  rule: GroupingRule;
  /** Outermost first; empty for all but exceptions and logs with an error. */
  chain: ParsedException[];
  applicationFrame: ApplicationFrame | null;
  /** What source maps said of its frames; null where none was asked. */
  mapping: Mapping | null;
}

/** Of the incident of a failing availability check. */
export type AvailabilityFingerprint = Omit<Fingerprint, 'kind'> & { kind: 'availability' };

/** What a fingerprint may be made of; nothing else counts, so that nothing can be left out and fuse two causes. */
export interface Material {
  cause?: string;
  check?: string;
  frames?: string[];
  host?: string;
  lines?: string[];
  members?: string[];
  method?: string;
  msg?: string;
  path?: string;
  route?: string;
  src?: string;
  status?: number;
  tag?: string;
  type?: string;
}

/** What a material is written with, in the order of canonical JSON; `k` is its kind. */
const WRITTEN: Readonly<Record<keyof Material | 'k', string>> = {
  cause: '"cause":',
  check: '"check":',
  frames: '"frames":',
  host: '"host":',
  k: '"k":',
  lines: '"lines":',
  members: '"members":',
  method: '"method":',
  msg: '"msg":',
  path: '"path":',
  route: '"route":',
  src: '"src":',
  status: '"status":',
  tag: '"tag":',
  type: '"type":',
};
const NAMES = namesOf(WRITTEN);

function namesOf<Name extends string>(record: Readonly<Record<Name, unknown>>): Name[] {
  const names: Name[] = [];
  for (const name in record) names.push(name);
  return names;
}

/** One object; names without a value, which are most, are not written. */
function canonicalJson(kind: string, material: Material): string {
  let json = '{';
  for (const name of NAMES) {
    const value = name === 'k' ? kind : material[name];
    if (value !== undefined) json += `${WRITTEN[name]}${JSON.stringify(value)},`;
  }
  return `${json}"v":${VERSION_NUMBER}}`;
}

const VERSION_NUMBER = Number(FINGERPRINT_VERSION.slice(1));

/** The fingerprint of a material. */
export function sealed<Kind extends Fingerprint['kind'] | 'availability'>(
  kind: Kind,
  material: Material,
  known: Pick<Fingerprint, 'wording' | 'chain' | 'applicationFrame' | 'readers' | 'rule'> & {
    fields: readonly MatchedField[];
    mapping?: Mapping | null;
  },
): Omit<Fingerprint, 'kind'> & { kind: Kind } {
  const { wording, fields, readers, rule, chain, applicationFrame, mapping = null } = known;
  const materialJson = canonicalJson(kind, material);
  return {
    version: FINGERPRINT_VERSION,
    value: hash('sha256', materialJson, 'hex'),
    kind,
    materialJson,
    wording,
    matchedFields: ['environment', 'service', ...fields],
    readers,
    rule,
    chain,
    applicationFrame,
    mapping,
  };
}

/** What the fingerprint of an event without text and code is known by. */
export function placeless(reader: GroupingReader, rule: GroupingRule, fields: readonly MatchedField[]) {
  return { wording: null, fields, readers: [reader], rule, chain: [], applicationFrame: null };
}
