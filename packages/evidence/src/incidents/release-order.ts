/** A release as the order of releases needs it. */
export interface OrderedRelease {
  version: string;
  /** Null where the project has no record of it. */
  firstAtMs: number | null;
  /** Ids grow with time; decides between equal times. */
  releaseId: string | null;
}

interface Parsed {
  /** The part before the last `@`, such as the name of a package. */
  name: string;
  numbers: readonly string[];
  /** Identifiers after the `-`; null for a final version. */
  preRelease: readonly string[] | null;
}

/** Two or more numbers, a pre-release, build metadata. One number alone can be a commit or a count of builds. */
const VERSION =
  /^[vV]?(\d+(?:\.\d+)+)(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/;
const DIGITS = /^\d+$/;

/**
 * Returns true if `a` is later than `b` (docs/contract/source-maps.md 10.2): by version if both are versions of one
 * package, else by the moment at which the project met them. Null if neither decides.
 */
export function isLaterRelease(a: OrderedRelease, b: OrderedRelease): boolean | null {
  if (a.version === b.version) return false;
  const order = compareVersions(a.version, b.version);
  if (order !== null && order !== 0) return order > 0;
  if (a.firstAtMs === null || b.firstAtMs === null) return null;
  if (a.firstAtMs !== b.firstAtMs) return a.firstAtMs > b.firstAtMs;
  return (a.releaseId ?? '') > (b.releaseId ?? '');
}

/** The latest of some releases; undefined where there are none. */
export function latestRelease<Release extends OrderedRelease>(
  releases: readonly Release[],
): Release | undefined {
  let latest: Release | undefined;
  for (const release of releases) {
    if (latest === undefined || isLaterRelease(release, latest) === true) latest = release;
  }
  return latest;
}

/** Below 0, 0 or above 0 as the first is earlier, equal or later; null where these are not versions of one package. */
function compareVersions(a: string, b: string): number | null {
  const first = parseVersion(a);
  const second = parseVersion(b);
  if (first === null || second === null || first.name !== second.name) return null;
  const length = Math.max(first.numbers.length, second.numbers.length);
  for (let place = 0; place < length; place += 1) {
    const order = compareNumbers(first.numbers[place] ?? '0', second.numbers[place] ?? '0');
    if (order !== 0) return order;
  }
  return comparePreReleases(first.preRelease, second.preRelease);
}

function parseVersion(text: string): Parsed | null {
  const at = text.lastIndexOf('@');
  const name = at > 0 ? text.slice(0, at) : '';
  const match = VERSION.exec(at > 0 ? text.slice(at + 1) : text);
  if (match === null) return null;
  return { name, numbers: (match[1] ?? '').split('.'), preRelease: match[2]?.split('.') ?? null };
}

/** Compares numbers of any length, so that no build number exceeds the range of a number. */
function compareNumbers(a: string, b: string): number {
  const first = a.replace(/^0+/, '');
  const second = b.replace(/^0+/, '');
  if (first.length !== second.length) return first.length - second.length;
  return first === second ? 0 : first > second ? 1 : -1;
}

/** Compares in the order of semver: a final version is later, numbers come before words, and more parts are later. */
function comparePreReleases(a: readonly string[] | null, b: readonly string[] | null): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  for (let place = 0; place < Math.max(a.length, b.length); place += 1) {
    const first = a[place];
    const second = b[place];
    if (first === undefined || second === undefined) return first === undefined ? -1 : 1;
    if (first === second) continue;
    const isNumber = DIGITS.test(first);
    if (isNumber !== DIGITS.test(second)) return isNumber ? -1 : 1;
    const order = isNumber ? compareNumbers(first, second) : first > second ? 1 : -1;
    if (order !== 0) return order;
  }
  return 0;
}
