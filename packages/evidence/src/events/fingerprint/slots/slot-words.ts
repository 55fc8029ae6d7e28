/**
 * Which words of a template may be values of one field (docs/contract/grouping.md 3). A word that is left out can only
 * keep incidents apart, so these rules would rather leave out one too many.
 */

const WORD_CHARS_MIN = 3;
const WORD_CHARS_MAX = 60;

/** Letters with single dashes, dots or underscores between: names of people, hosts, queues; never code or numbers. */
const PLAIN_WORD = /^\p{L}[\p{L}\p{M}]*(?:[-_.][\p{L}\p{M}]+){0,4}$/u;
/** `isReady`, `MyClass`: names of code, other than `O'Brien` and `McKay`. */
const CODE_NAME = /\p{Ll}\p{Lu}|\p{Lu}{2}\p{Ll}/u;
/** `ECONNRESET`, `TIMEOUT`: names of errors and states. */
const CAPITALS = /^[\p{Lu}_.-]+$/u;
/** Forms of verbs, and what is made of them and of states. */
const VERB_FORM =
  /(?:ed|ing|tion|sion|tions|sions|able|ible|ment|ments|ance|ence|ency|ancy|ness|ious|less|ful|ally|ity|ively)$/;

/** Verbs, states, conditions, directions, and the small words of a sentence: what makes one failure another. */
const SPEAKING: ReadonlySet<string> = new Set(
  (
    'accept access add allow answer append apply attach bind block break build call cancel change check clear close commit ' +
    'compile complete confirm connect consume convert copy count create decode decrypt delete deny deploy detach ' +
    'disable drop enable encode encrypt end evaluate execute exit export fail fetch find finish flush fork format get ' +
    'grant handle head hold import insert install invoke join kill launch listen load lock login logout log map mark merge ' +
    'migrate mount move open parse patch pay ping post print process publish pull purge push put query read receive ' +
    'refresh refund register reject release reload remove rename render replace reply request reserve reset resolve ' +
    'respond restart restore resume retry return revoke rollback route run save scan search seek select send serve set ' +
    'ship shutdown sign sleep sort split start stop store stream submit subscribe sync throw touch train transfer ' +
    'translate trim truncate unlock unmount update upgrade upload download use validate verify view wait wake walk warm ' +
    'watch wrap write yield ' +
    'abnormal absent active alive already asleep available away bad big blank broken busy clean closed cold complete ' +
    'conflict corrupt current dead dirty disk down due duplicate early empty error errors exact exist exists expired ' +
    'external failure failures false fatal fault few final fine first foreign forbidden forever free fresh full gone good ' +
    'half hard healthy high hot idle ill illegal inactive incomplete incorrect incompatible inner internal invalid ' +
    'large last late leader leak left less live local long loss lost low lower main many maximum memory minimum missing more ' +
    'network new next none normal null offline okay old online outer outdated over overflow overload own panic partial past peer ' +
    'pending permanent possible previous primary private public quota rate raw ready real recent remote replica right ' +
    'rough safe same secondary short signal single size slow small soft some space stale still strict success ' +
    'successful sudden syntax system temporary temp thread time timeout total transient true undefined unhealthy unknown ' +
    'unavailable underflow unique unsafe up upper user users valid visible void warning weak wrong zero ' +
    'about above across after again against all almost also always and another any are because been before being below ' +
    'between both but cannot could did does during each either ever every for from has have here how into its just like ' +
    'may might must near never nor not now off once one only onto other our out per please shall should since than that ' +
    'the their them then there these they this those through too toward two under until upon very was were what when ' +
    'where whether which while who whose why will with within without would yet you your ' +
    'monday tuesday wednesday thursday friday saturday sunday north south east west left right top bottom front back ' +
    'string number boolean object array integer float double char list map function symbol date bytes'
  ).split(' '),
);

/**
 * The words that name a thing of the program: the word next to one identifies the thing that failed, so it is the
 * cause.
 */
const THINGS: ReadonlySet<string> = new Set(
  (
    'class method function property attribute field column table relation schema constraint index key variable ' +
    'parameter argument option setting flag type module package library plugin extension command action operation ' +
    'handler controller component service endpoint route step stage phase task worker view template model entity ' +
    'feature hook event metric header cookie role permission policy grant certificate driver provider adapter ' +
    'codec encoding locale format protocol interface symbol identifier operator keyword statement procedure trigger ' +
    'sequence migration fixture test rule validator middleware called named column(s) '
  )
    .trim()
    .split(' '),
);

const EDGE_MARKS = '\'"().,:;!?';

/** The word of a token without what is written around it; empty when there is none. */
export function bareWord(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && EDGE_MARKS.includes(text.charAt(start))) start += 1;
  while (end > start && EDGE_MARKS.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

/** Returns true if a token alone can be a value. */
export function mayBeValue(text: string): boolean {
  const word = bareWord(text);
  if (word.length < WORD_CHARS_MIN || word.length > WORD_CHARS_MAX) return false;
  if (!PLAIN_WORD.test(word) || CODE_NAME.test(word) || CAPITALS.test(word)) return false;
  const lower = word.toLowerCase();
  return !SPEAKING.has(lower) && !THINGS.has(lower) && !VERB_FORM.test(lower);
}

/** Returns true if the word next to this one identifies the part of the program that failed. */
export function namesThing(text: string): boolean {
  const word = bareWord(text).toLowerCase();
  return THINGS.has(word) || (word.endsWith('s') && THINGS.has(word.slice(0, -1)));
}
