import { hash } from 'node:crypto';
import { FINGERPRINT_VERSION } from '@culprit/contract/incidents/fingerprint-version';
import type {
  GroupingReader,
  GroupingRule,
  MatchedField,
} from '@culprit/contract/incidents/grouping-explanation';
import type { Mapping } from './stack/mapped-frames.ts';
import type { ApplicationFrame, ParsedException } from './stack/parsed-stack.ts';

/** The properties that make events one incident of their service (docs/contract/incidents.md 5.4). */
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
  /** The readers of the event, and the rule that decided the key (docs/contract/grouping.md 4.1). */
  readers: GroupingReader[];
  rule: GroupingRule;
  /** Outermost first; empty for all but exceptions and logs with an error. */
  chain: ParsedException[];
  applicationFrame: ApplicationFrame | null;
  /** The source maps' results for its frames; null if none was requested. */
  mapping: Mapping | null;
}

/** The fingerprint of the incident of a failing availability check. */
export type AvailabilityFingerprint = Omit<Fingerprint, 'kind'> & { kind: 'availability' };

/** The possible parts of a fingerprint; nothing else counts, so that nothing can be omitted and fuse two causes. */
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

/** One object with its names in the order of canonical JSON; those without a value are not written. */
function canonicalJson(kind: string, material: Material): string {
  return JSON.stringify({
    cause: material.cause,
    check: material.check,
    frames: material.frames,
    host: material.host,
    k: kind,
    lines: material.lines,
    members: material.members,
    method: material.method,
    msg: material.msg,
    path: material.path,
    route: material.route,
    src: material.src,
    status: material.status,
    tag: material.tag,
    type: material.type,
    v: VERSION_NUMBER,
  } satisfies Record<keyof Material | 'k' | 'v', unknown>);
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

/** Returns the identification of an event without text and code. */
export function placeless(reader: GroupingReader, rule: GroupingRule, fields: readonly MatchedField[]) {
  return { wording: null, fields, readers: [reader], rule, chain: [], applicationFrame: null };
}
